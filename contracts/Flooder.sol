// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Hostile: every call returns (or reverts with) so many zero bytes.
contract Flooder {
    uint256 private immutable size;
    bool private immutable reverts;

    constructor(uint256 size_, bool reverts_) {
        size = size_;
        reverts = reverts_;
    }

    fallback() external payable {
        uint256 length = size;
        if (reverts) {
            assembly {
                revert(0, length)
            }
        }
        assembly {
            return(0, length)
        }
    }
}
