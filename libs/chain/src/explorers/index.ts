export { findExplorerChain, findKnownChainName } from './find-explorer-chain.js';
