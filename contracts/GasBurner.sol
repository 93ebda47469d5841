// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Hostile: every call burns all the gas that it gets.
contract GasBurner {
    fallback() external payable {
        while (true) {}
    }
}
