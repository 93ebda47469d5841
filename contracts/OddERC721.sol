// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// A collection that is not as ERC-721 says, for tests: what it claims, which functions it has, and how long its texts are.
/// A function that is switched off reverts without data, as a function that does not exist.
contract OddERC721 {
    struct Shape {
        bool hasOwnerOf;
        bool hasInterfaces;
        bool claimsErc721;
        bool claimsErc1155;
        /// decimals() answers this number above 0.
        uint8 decimals;
    }

    Shape private shape;
    mapping(address => uint256[]) private held;
    mapping(uint256 => address) private owners;
    mapping(address => bool) private expired;
    string private head;
    /// How often 32 characters, which are base64 of the letter A, stand between head and tail.
    uint256 private words;
    string private tail;

    constructor(Shape memory shape_) {
        shape = shape_;
    }

    function give(address to, uint256 id) external {
        held[to].push(id);
        owners[id] = to;
    }

    /// Ends the memberships of an account, which keeps its tokens.
    function expire(address account) external {
        expired[account] = true;
    }

    function getHasValidKey(address account) external view returns (bool) {
        return held[account].length > 0 && !expired[account];
    }

    function setUri(string calldata head_, uint256 words_, string calldata tail_) external {
        head = head_;
        words = words_;
        tail = tail_;
    }

    function balanceOf(address owner) external view returns (uint256) {
        return held[owner].length;
    }

    /// The function of CryptoPunks: zero for a punk that nobody has.
    function punkIndexToAddress(uint256 id) external view returns (address) {
        return owners[id];
    }

    function ownerOf(uint256 id) external view returns (address) {
        if (!shape.hasOwnerOf || owners[id] == address(0)) revert();
        return owners[id];
    }

    function decimals() external view returns (uint8) {
        if (shape.decimals == 0) revert();
        return shape.decimals;
    }

    function tokenOfOwnerByIndex(address owner, uint256 index) external view returns (uint256) {
        return held[owner][index];
    }

    function supportsInterface(bytes4 id) external view returns (bool) {
        if (!shape.hasInterfaces) revert();
        return (shape.claimsErc721 && id == 0x80ac58cd) || (shape.claimsErc1155 && id == 0xd9b67a26);
    }

    function tokenURI(uint256) external view returns (string memory) {
        bytes memory middle = new bytes(words * 32);
        assembly {
            let at := add(middle, 32)
            let end := add(at, mload(middle))
            for {} lt(at, end) { at := add(at, 32) } { mstore(at, "QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFB") }
        }
        return string.concat(head, string(middle), tail);
    }
}
