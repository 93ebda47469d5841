// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// For demonstrations and tests: anybody may mint any id that is free.
contract DemoERC721 {
    string public name;
    string public symbol;
    mapping(address => uint256) public balanceOf;
    mapping(uint256 => address) private owners;

    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);
    error NonexistentToken(uint256 tokenId);
    error TokenExists(uint256 tokenId);
    error NotOwner(uint256 tokenId);

    constructor(string memory name_, string memory symbol_) {
        name = name_;
        symbol = symbol_;
    }

    function mint(address to, uint256 tokenId) external {
        if (owners[tokenId] != address(0)) revert TokenExists(tokenId);
        owners[tokenId] = to;
        balanceOf[to] += 1;
        emit Transfer(address(0), to, tokenId);
    }

    function ownerOf(uint256 tokenId) public view returns (address owner) {
        owner = owners[tokenId];
        if (owner == address(0)) revert NonexistentToken(tokenId);
    }

    function transferFrom(address from, address to, uint256 tokenId) external {
        if (ownerOf(tokenId) != from || msg.sender != from) revert NotOwner(tokenId);
        owners[tokenId] = to;
        balanceOf[from] -= 1;
        balanceOf[to] += 1;
        emit Transfer(from, to, tokenId);
    }

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0x80ac58cd;
    }
}
