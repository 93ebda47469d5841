// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface IEns {
    function resolver(bytes32 node) external view returns (address);
    function name(bytes32 node) external view returns (string memory);
}

interface IExtendedResolver {
    function resolve(bytes calldata name, bytes calldata data) external view returns (bytes memory);
}

interface IBatchGateway {
    struct Request {
        address sender;
        string[] urls;
        bytes data;
    }

    function query(Request[] calldata requests) external view returns (bool[] memory failures, bytes[] memory responses);
}

/// The part of ENS's Universal Resolver that reads primary names: ENSIP-10 with CCIP-Read (ERC-3668) by batch gateways. Unlike the one of the
/// mainnet it leaves it to clients to compare the address of the name with the account, so that tests see whether they do.
contract DemoUniversalResolver {
    IEns private immutable ens;

    // namehash("addr.reverse")
    bytes32 private constant REVERSE_NODE = 0x91d1777781884d03a6757a803996e38de2a42967fb37eeaca72729271025a9e2;

    error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callbackFunction, bytes extraData);
    error ResolverNotFound(bytes name);
    error ResolverError(bytes errorData);

    constructor(IEns ens_) {
        ens = ens_;
    }

    function reverseWithGateways(bytes calldata account, uint256, string[] calldata)
        external
        view
        returns (string memory name, address resolver, address reverseResolver)
    {
        bytes32 node = keccak256(abi.encodePacked(REVERSE_NODE, keccak256(toHex(account))));
        reverseResolver = ens.resolver(node);
        if (reverseResolver == address(0)) revert ResolverNotFound(account);
        name = IEns(reverseResolver).name(node);
        resolver = address(0);
    }

    function resolveWithGateways(bytes calldata name, bytes calldata data, string[] calldata gateways)
        external
        view
        returns (bytes memory result, address resolver)
    {
        bool isExact;
        (resolver, isExact) = findResolver(name);
        bool isExtended = supportsExtension(resolver);
        if (resolver == address(0) || !(isExact || isExtended)) revert ResolverNotFound(name);
        (bool isOk, bytes memory answer) =
            resolver.staticcall(isExtended ? abi.encodeCall(IExtendedResolver.resolve, (name, data)) : bytes(data));
        if (isOk) return (isExtended ? abi.decode(answer, (bytes)) : answer, resolver);
        if (answer.length < 4 || bytes4(answer) != OffchainLookup.selector) revert ResolverError(answer);
        lookUpOffchain(resolver, answer, gateways);
    }

    function resolveCallback(bytes calldata response, bytes calldata extraData)
        external
        view
        returns (bytes memory result, address resolver)
    {
        bytes4 callbackFunction;
        bytes memory resolverData;
        (resolver, callbackFunction, resolverData) = abi.decode(extraData, (address, bytes4, bytes));
        (bool[] memory failures, bytes[] memory responses) = abi.decode(response, (bool[], bytes[]));
        if (failures[0]) revert ResolverError(responses[0]);
        (bool isOk, bytes memory answer) =
            resolver.staticcall(abi.encodeWithSelector(callbackFunction, responses[0], resolverData));
        if (!isOk) revert ResolverError(answer);
        result = abi.decode(answer, (bytes));
    }

    function lookUpOffchain(address resolver, bytes memory answer, string[] calldata gateways) private view {
        bytes memory arguments = new bytes(answer.length - 4);
        for (uint256 i = 0; i < arguments.length; i++) arguments[i] = answer[i + 4];
        (address sender, string[] memory urls, bytes memory callData, bytes4 callbackFunction, bytes memory extraData) =
            abi.decode(arguments, (address, string[], bytes, bytes4, bytes));
        if (sender != resolver) revert ResolverError(answer);
        IBatchGateway.Request[] memory requests = new IBatchGateway.Request[](1);
        requests[0] = IBatchGateway.Request(sender, urls, callData);
        revert OffchainLookup(
            address(this),
            gateways,
            abi.encodeCall(IBatchGateway.query, (requests)),
            this.resolveCallback.selector,
            abi.encode(resolver, callbackFunction, extraData)
        );
    }

    /// The resolver of the name, or of the nearest name above it that has one (ENSIP-10).
    function findResolver(bytes calldata name) private view returns (address resolver, bool isExact) {
        for (uint256 offset = 0; name[offset] != 0; offset += uint8(name[offset]) + 1) {
            resolver = ens.resolver(namehash(name, offset));
            if (resolver != address(0)) return (resolver, offset == 0);
        }
    }

    function supportsExtension(address resolver) private view returns (bool) {
        (bool isOk, bytes memory answer) =
            resolver.staticcall(abi.encodeWithSignature("supportsInterface(bytes4)", IExtendedResolver.resolve.selector));
        return isOk && answer.length == 32 && abi.decode(answer, (uint256)) == 1;
    }

    function namehash(bytes calldata name, uint256 offset) private pure returns (bytes32) {
        uint256 length = uint8(name[offset]);
        if (length == 0) return bytes32(0);
        uint256 next = offset + 1 + length;
        return keccak256(abi.encodePacked(namehash(name, next), keccak256(name[offset + 1:next])));
    }

    function toHex(bytes calldata account) private pure returns (bytes memory text) {
        bytes16 digits = "0123456789abcdef";
        text = new bytes(2 * account.length);
        for (uint256 i = 0; i < account.length; i++) {
            text[2 * i] = digits[uint8(account[i]) >> 4];
            text[2 * i + 1] = digits[uint8(account[i]) & 15];
        }
    }
}
