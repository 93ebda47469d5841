// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// For demonstrations and tests: anybody may mint.
contract DemoERC1155 {
    mapping(address => mapping(uint256 => uint256)) private balances;

    event TransferSingle(
        address indexed operator,
        address indexed from,
        address indexed to,
        uint256 id,
        uint256 value
    );

    function mint(address to, uint256 id, uint256 value) external {
        balances[to][id] += value;
        emit TransferSingle(msg.sender, address(0), to, id, value);
    }

    function balanceOf(address account, uint256 id) public view returns (uint256) {
        return balances[account][id];
    }

    function balanceOfBatch(address[] calldata accounts, uint256[] calldata ids)
        external
        view
        returns (uint256[] memory values)
    {
        values = new uint256[](ids.length);
        for (uint256 i = 0; i < ids.length; i++) values[i] = balanceOf(accounts[i], ids[i]);
    }

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0xd9b67a26;
    }
}
