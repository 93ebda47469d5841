// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// A user operation as the EntryPoint passes it on (ERC-4337, versions 0.7 and 0.8).
struct PackedUserOperation {
    address sender;
    uint256 nonce;
    bytes initCode;
    bytes callData;
    bytes32 accountGasLimits;
    uint256 preVerificationGas;
    bytes32 gasFees;
    bytes paymasterAndData;
    bytes signature;
}

interface EntryPoint {
    function withdrawTo(address payable recipient, uint256 amount) external;
    function addStake(uint32 unstakeDelaySec) external payable;
    function unlockStake() external;
    function withdrawStake(address payable recipient) external;
}

/// Pays for the user operations that its signer has signed. What is signed, and where the signature stands, is as in the
/// VerifyingPaymaster that eth-infinitism published for EntryPoint 0.7, which does not work with EntryPoint 0.8. Deposits come
/// through `depositTo` of the EntryPoint; the owner takes them back.
contract VerifyingPaymaster {
    uint256 private constant GAS_LIMITS_OFFSET = 20;
    uint256 private constant DATA_OFFSET = 52;
    uint256 private constant SIGNATURE_OFFSET = 116;
    uint256 private constant SIGNATURE_LENGTH = 65;
    /// Half the order of secp256k1: of the two signatures of a hash, the one with the lower s counts.
    uint256 private constant MAX_S = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0;

    EntryPoint public immutable entryPoint;
    address public immutable verifyingSigner;
    address public immutable owner;

    error NotEntryPoint(address caller);
    error NotOwner(address caller);
    error InvalidAddress();
    error InvalidSignatureLength(uint256 length);

    modifier onlyOwner() {
        if (msg.sender != owner) revert NotOwner(msg.sender);
        _;
    }

    constructor(EntryPoint entryPoint_, address verifyingSigner_, address owner_) {
        // ecrecover gives the zero address for an invalid signature.
        if (address(entryPoint_) == address(0) || verifyingSigner_ == address(0) || owner_ == address(0))
            revert InvalidAddress();
        entryPoint = entryPoint_;
        verifyingSigner = verifyingSigner_;
        owner = owner_;
    }

    /// Without a context, the EntryPoint does not call postOp.
    function validatePaymasterUserOp(PackedUserOperation calldata userOp, bytes32, uint256)
        external
        view
        returns (bytes memory context, uint256 validationData)
    {
        if (msg.sender != address(entryPoint)) revert NotEntryPoint(msg.sender);
        (uint48 validUntil, uint48 validAfter) =
            abi.decode(userOp.paymasterAndData[DATA_OFFSET:SIGNATURE_OFFSET], (uint48, uint48));
        bytes calldata signature = userOp.paymasterAndData[SIGNATURE_OFFSET:];
        if (signature.length != SIGNATURE_LENGTH) revert InvalidSignatureLength(signature.length);
        bytes32 message = keccak256(
            abi.encodePacked("\x19Ethereum Signed Message:\n32", getHash(userOp, validUntil, validAfter))
        );
        uint256 failed = recover(message, signature) == verifyingSigner ? 0 : 1;
        return ("", failed | (uint256(validUntil) << 160) | (uint256(validAfter) << 208));
    }

    /// What the signer signs: every field of the operation but the two signatures, this contract on its chain, and the time.
    function getHash(PackedUserOperation calldata userOp, uint48 validUntil, uint48 validAfter)
        public
        view
        returns (bytes32)
    {
        return keccak256(
            abi.encode(
                userOp.sender,
                userOp.nonce,
                keccak256(userOp.initCode),
                keccak256(userOp.callData),
                userOp.accountGasLimits,
                bytes32(userOp.paymasterAndData[GAS_LIMITS_OFFSET:DATA_OFFSET]),
                userOp.preVerificationGas,
                userOp.gasFees,
                block.chainid,
                address(this),
                validUntil,
                validAfter
            )
        );
    }

    function withdrawTo(address payable recipient, uint256 amount) external onlyOwner {
        entryPoint.withdrawTo(recipient, amount);
    }

    /// Bundlers may ask for a stake (ERC-7562).
    function addStake(uint32 unstakeDelaySec) external payable onlyOwner {
        entryPoint.addStake{value: msg.value}(unstakeDelaySec);
    }

    function unlockStake() external onlyOwner {
        entryPoint.unlockStake();
    }

    function withdrawStake(address payable recipient) external onlyOwner {
        entryPoint.withdrawStake(recipient);
    }

    function recover(bytes32 message, bytes calldata signature) private pure returns (address) {
        bytes32 s = bytes32(signature[32:64]);
        if (uint256(s) > MAX_S) return address(0);
        return ecrecover(message, uint8(signature[64]), bytes32(signature[0:32]), s);
    }
}
