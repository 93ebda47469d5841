// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {DemoERC721} from "./DemoERC721.sol";

/// A smart account that belongs to the owner of an ERC-721 token (as in ERC-6551).
contract TokenBoundWallet {
    DemoERC721 private immutable token;
    uint256 private immutable tokenId;

    constructor(DemoERC721 token_, uint256 tokenId_) {
        token = token_;
        tokenId = tokenId_;
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        bytes32 r = bytes32(signature[0:32]);
        bytes32 s = bytes32(signature[32:64]);
        address signer = ecrecover(hash, uint8(signature[64]), r, s);
        return signer == token.ownerOf(tokenId) ? this.isValidSignature.selector : bytes4(0xffffffff);
    }
}
