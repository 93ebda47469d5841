// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// An ERC-721 with enumeration and a metadata URI per token. For demonstrations: anybody may mint any id that is free.
contract DemoCollectible {
    string public constant name = "Gatehouse Demo Hat";
    string public constant symbol = "GDH";
    mapping(uint256 => string) public tokenURI;
    mapping(uint256 => address) private owners;
    mapping(address => uint256[]) private held;

    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);
    error NonexistentToken(uint256 tokenId);
    error TokenExists(uint256 tokenId);
    error NoSuchIndex(uint256 index);

    function mint(address to, uint256 tokenId, string calldata uri) external {
        if (owners[tokenId] != address(0)) revert TokenExists(tokenId);
        owners[tokenId] = to;
        held[to].push(tokenId);
        tokenURI[tokenId] = uri;
        emit Transfer(address(0), to, tokenId);
    }

    function balanceOf(address owner) external view returns (uint256) {
        return held[owner].length;
    }

    function ownerOf(uint256 tokenId) external view returns (address owner) {
        owner = owners[tokenId];
        if (owner == address(0)) revert NonexistentToken(tokenId);
    }

    function tokenOfOwnerByIndex(address owner, uint256 index) external view returns (uint256) {
        if (index >= held[owner].length) revert NoSuchIndex(index);
        return held[owner][index];
    }

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0x80ac58cd || id == 0x5b5e139f || id == 0x780e9d63;
    }
}
