// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface IEntryPoint {
    function getNonce(address sender, uint192 key) external view returns (uint256);
    function balanceOf(address account) external view returns (uint256);
}

/// Never deployed: as the init code of an eth_call without `to`, it returns the state of an account at one block.
contract AccountStateReader {
    constructor(address account, IEntryPoint entryPoint, uint192 key) {
        bytes memory state = abi.encode(
            account.code.length,
            entryPoint.getNonce(account, key),
            account.balance,
            entryPoint.balanceOf(account)
        );
        assembly {
            return(add(state, 32), mload(state))
        }
    }
}
