// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Hostile: every call returns the same bytes, whatever they are; without bytes it swallows the call.
contract Garbage {
    bytes private answer;

    constructor(bytes memory answer_) {
        answer = answer_;
    }

    fallback() external payable {
        bytes memory data = answer;
        assembly {
            return(add(data, 32), mload(data))
        }
    }
}
