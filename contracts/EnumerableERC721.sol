// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// An ERC-721 with enumeration and metadata, for tests: anybody may mint, and change what it claims of balances and ids.
contract EnumerableERC721 {
    mapping(address => uint256[]) private held;
    mapping(uint256 => address) private owners;
    uint256 private claimedBalance;
    bool private repeatsIds;
    string private baseUri;

    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);

    constructor(string memory baseUri_) {
        baseUri = baseUri_;
    }

    function mint(address to, uint256 first, uint256 count) external {
        for (uint256 id = first; id < first + count; id++) {
            held[to].push(id);
            owners[id] = to;
            emit Transfer(address(0), to, id);
        }
    }

    function lie(uint256 balance, bool repeats) external {
        claimedBalance = balance;
        repeatsIds = repeats;
    }

    function balanceOf(address owner) external view returns (uint256) {
        return claimedBalance > 0 ? claimedBalance : held[owner].length;
    }

    function ownerOf(uint256 id) external view returns (address) {
        require(owners[id] != address(0), "no such token");
        return owners[id];
    }

    function tokenOfOwnerByIndex(address owner, uint256 index) external view returns (uint256) {
        if (repeatsIds) return 1;
        require(index < held[owner].length, "no such index");
        return held[owner][index];
    }

    function tokenURI(uint256) external view returns (string memory) {
        return baseUri;
    }

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0x80ac58cd || id == 0x5b5e139f || id == 0x780e9d63;
    }
}
