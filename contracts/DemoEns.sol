// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Registry, resolver and reverse registrar of ENS (ERC-137, ERC-181) in one, for demonstrations and tests: anybody may set the records of any
/// name, and everybody the name of their own account only.
contract DemoEns {
    struct Record {
        address resolver;
        address addr;
        string name;
    }

    // namehash("addr.reverse")
    bytes32 private constant REVERSE_NODE = 0x91d1777781884d03a6757a803996e38de2a42967fb37eeaca72729271025a9e2;

    mapping(bytes32 => Record) private records;

    function setAddr(bytes32 node, address account) external {
        records[node].resolver = address(this);
        records[node].addr = account;
    }

    function setResolver(bytes32 node, address resolver_) external {
        records[node].resolver = resolver_;
    }

    /// The name of the sender's account.
    function setName(string calldata name_) external {
        bytes32 node = keccak256(abi.encodePacked(REVERSE_NODE, keccak256(toHex(msg.sender))));
        records[node].resolver = address(this);
        records[node].name = name_;
    }

    function resolver(bytes32 node) external view returns (address) {
        return records[node].resolver;
    }

    function addr(bytes32 node) external view returns (address) {
        return records[node].addr;
    }

    function name(bytes32 node) external view returns (string memory) {
        return records[node].name;
    }

    function toHex(address account) private pure returns (bytes memory text) {
        bytes16 digits = "0123456789abcdef";
        text = new bytes(40);
        for (uint256 i = 0; i < 20; i++) {
            uint8 value = uint8(bytes20(account)[i]);
            text[2 * i] = digits[value >> 4];
            text[2 * i + 1] = digits[value & 15];
        }
    }
}
