// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// A token as any other, until a function is called that ERC-20 does not have: that one burns its gas, or returns 3 MB.
contract HostileToken {
    uint8 public constant decimals = 0;

    function balanceOf(address) external pure returns (uint256) {
        return 5;
    }

    fallback() external {
        // The last bit of the selector decides.
        if (uint256(uint32(msg.sig)) % 2 == 0) while (true) {}
        assembly {
            return(0, 3000000)
        }
    }
}
