// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// A staking contract in the form of ERC-900, for demonstrations and tests: anybody may stake without paying.
contract DemoERC900 {
    address public immutable token;
    mapping(address => uint256) public totalStakedFor;
    mapping(address => uint256[]) private stakes;

    event Staked(address indexed user, uint256 amount, uint256 total, bytes data);

    constructor(address token_) {
        token = token_;
    }

    function stakeFor(address user, uint256 amount, bytes calldata data) external {
        totalStakedFor[user] += amount;
        stakes[user].push(amount);
        emit Staked(user, amount, totalStakedFor[user], data);
    }

    /// Not part of ERC-900: what adapters read.
    function stakesOf(address user) external view returns (uint256[] memory) {
        return stakes[user];
    }
}
