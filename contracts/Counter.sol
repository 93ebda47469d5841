// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Counts what was executed under an id, so that tests see what was executed twice.
contract Counter {
    uint256 public total;
    mapping(uint256 => uint256) public counts;

    function count(uint256 id) external {
        counts[id] += 1;
        total += 1;
    }
}
