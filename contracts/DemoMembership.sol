// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// A membership that expires, read as a lock of Unlock Protocol is: `getHasValidKey` is false for who never had a key and for whose
/// key has expired. Nobody pays for keys here: anybody gives them.
contract DemoMembership {
    mapping(address => uint256) private expirations;
    address[] private members;

    /// `until`: seconds since 1970.
    function grantKey(address user, uint256 until) external {
        if (expirations[user] == 0) members.push(user);
        expirations[user] = until;
    }

    function getHasValidKey(address user) public view returns (bool) {
        return expirations[user] > block.timestamp;
    }

    function keyExpirationTimestampFor(address user) external view returns (uint256) {
        return expirations[user];
    }

    function listMembers() external view returns (address[] memory) {
        return members;
    }
}
