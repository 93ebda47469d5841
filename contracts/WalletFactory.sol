// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SignerWallet} from "./SignerWallet.sol";

/// Makes smart accounts at addresses that are known before (ERC-6492).
contract WalletFactory {
    function create(address owner, bytes32 salt) external returns (SignerWallet) {
        return new SignerWallet{salt: salt}(owner);
    }

    function addressOf(address owner, bytes32 salt) external view returns (address) {
        bytes32 code = keccak256(abi.encodePacked(type(SignerWallet).creationCode, abi.encode(owner)));
        return address(uint160(uint256(keccak256(abi.encodePacked(bytes1(0xff), address(this), salt, code)))));
    }
}
