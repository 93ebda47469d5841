// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// An ERC-1155 with metadata, for tests: anybody may mint.
contract MetadataERC1155 {
    mapping(address => mapping(uint256 => uint256)) private balances;
    string private baseUri;

    constructor(string memory baseUri_) {
        baseUri = baseUri_;
    }

    function mint(address to, uint256 id, uint256 value) external {
        balances[to][id] += value;
    }

    function balanceOf(address account, uint256 id) external view returns (uint256) {
        return balances[account][id];
    }

    function uri(uint256) external view returns (string memory) {
        return baseUri;
    }

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0xd9b67a26 || id == 0x0e89341c;
    }
}
