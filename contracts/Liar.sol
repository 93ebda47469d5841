// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Hostile to a reader that starves its calls: with little gas it does not fail but says zero.
contract Liar {
    fallback() external payable {
        uint256 answer = gasleft() < 150_000 ? 0 : 1;
        assembly {
            mstore(0, answer)
            return(0, 32)
        }
    }
}
