// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// The functions of the POAP contract that are read. For demonstrations and tests: anybody may mint.
contract DemoPoap {
    mapping(address => uint256[]) private held;
    mapping(uint256 => uint256) private eventOf;
    uint256 private lastToken;

    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);
    error NoSuchIndex(uint256 index);
    error NotOwner(uint256 tokenId);

    function mint(address to, uint256 eventId) external {
        lastToken += 1;
        eventOf[lastToken] = eventId;
        held[to].push(lastToken);
        emit Transfer(address(0), to, lastToken);
    }

    function balanceOf(address owner) external view returns (uint256) {
        return held[owner].length;
    }

    function tokenDetailsOfOwnerByIndex(address owner, uint256 index)
        external
        view
        returns (uint256 tokenId, uint256 eventId)
    {
        if (index >= held[owner].length) revert NoSuchIndex(index);
        tokenId = held[owner][index];
        eventId = eventOf[tokenId];
    }

    function transferFrom(address from, address to, uint256 tokenId) external {
        if (msg.sender != from) revert NotOwner(tokenId);
        uint256[] storage tokens = held[from];
        for (uint256 index = 0; index < tokens.length; index++) {
            if (tokens[index] != tokenId) continue;
            tokens[index] = tokens[tokens.length - 1];
            tokens.pop();
            held[to].push(tokenId);
            emit Transfer(from, to, tokenId);
            return;
        }
        revert NotOwner(tokenId);
    }
}
