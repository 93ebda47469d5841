// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// A contract that answers each function as it was told to, for tests: with any bytes, by a revert with any bytes, or by using
/// up its gas. A function that it was told nothing about reverts without data.
contract CannedContract {
    enum Kind {
        Absent,
        Answer,
        Revert,
        Burn
    }

    mapping(bytes4 => Kind) private kinds;
    mapping(bytes4 => bytes) private answers;

    function program(bytes4 selector, Kind kind, bytes calldata data) external {
        kinds[selector] = kind;
        answers[selector] = data;
    }

    fallback(bytes calldata) external returns (bytes memory) {
        bytes memory data = answers[msg.sig];
        Kind kind = kinds[msg.sig];
        if (kind == Kind.Answer) return data;
        if (kind == Kind.Burn) {
            assembly {
                invalid()
            }
        }
        assembly {
            revert(add(data, 32), mload(data))
        }
    }
}
