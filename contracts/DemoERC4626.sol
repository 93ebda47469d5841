// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// A vault in the form of ERC-4626, for demonstrations and tests: anybody may mint shares and set their price.
contract DemoERC4626 {
    uint256 private constant ONE = 1e18;

    address public immutable asset;
    /// In parts of 1e18.
    uint256 public assetsPerShare = ONE;
    mapping(address => uint256) public balanceOf;

    constructor(address asset_) {
        asset = asset_;
    }

    function mint(uint256 shares, address receiver) external {
        balanceOf[receiver] += shares;
    }

    function setAssetsPerShare(uint256 assets) external {
        assetsPerShare = assets;
    }

    function convertToAssets(uint256 shares) external view returns (uint256) {
        return (shares * assetsPerShare) / ONE;
    }
}
