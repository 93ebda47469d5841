// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// An ERC-721 without enumeration that mints batches with the event of ERC-2309, for tests: anybody may mint, and emit
/// events about ranges that do not exist.
contract BatchERC721 {
    struct Batch {
        uint256 first;
        uint256 last;
        address owner;
    }

    Batch[] private batches;
    mapping(uint256 => address) private movedTo;
    mapping(address => uint256) public balanceOf;

    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);
    event ConsecutiveTransfer(
        uint256 indexed fromTokenId, uint256 toTokenId, address indexed fromAddress, address indexed toAddress
    );

    function mintBatch(address to, uint256 first, uint256 last) external {
        batches.push(Batch(first, last, to));
        balanceOf[to] += last - first + 1;
        emit ConsecutiveTransfer(first, last, address(0), to);
    }

    function mint(address to, uint256 id) external {
        movedTo[id] = to;
        balanceOf[to] += 1;
        emit Transfer(address(0), to, id);
    }

    function move(address to, uint256 id) external {
        address from = ownerOf(id);
        movedTo[id] = to;
        balanceOf[from] -= 1;
        balanceOf[to] += 1;
        emit Transfer(from, to, id);
    }

    /// Emits an event about tokens that nobody gets.
    function pretend(address to, uint256 first, uint256 last) external {
        emit ConsecutiveTransfer(first, last, address(0), to);
    }

    function ownerOf(uint256 id) public view returns (address) {
        if (movedTo[id] != address(0)) return movedTo[id];
        for (uint256 index = batches.length; index > 0; index--) {
            Batch storage batch = batches[index - 1];
            if (batch.first <= id && id <= batch.last) return batch.owner;
        }
        revert("no such token");
    }

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0x80ac58cd;
    }
}
