// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Validates an ERC-6492 signature in one eth_call: init code that returns one byte, 1 for a valid signature.
/// The prover chooses the factory call, which could change what a deployed account answers: it runs only for an
/// account without code, and has to deploy code there (docs/adr/0030).
contract Erc6492Validator {
    constructor(address account, bytes32 hash, bytes memory wrapped) {
        (address factory, bytes memory deployment, bytes memory signature) =
            abi.decode(wrapped, (address, bytes, bytes));
        bool isDeployed = account.code.length != 0;
        if (!isDeployed) {
            (bool succeeded,) = factory.call(deployment);
            isDeployed = succeeded && account.code.length != 0;
        }
        bool isValid = isDeployed && confirms(account, hash, signature);
        assembly {
            mstore(0, isValid)
            return(31, 1)
        }
    }

    function confirms(address account, bytes32 hash, bytes memory signature) private view returns (bool) {
        (bool succeeded, bytes memory result) =
            account.staticcall(abi.encodeWithSignature("isValidSignature(bytes32,bytes)", hash, signature));
        return succeeded && result.length >= 32 && bytes32(result) == bytes32(bytes4(0x1626ba7e));
    }
}
