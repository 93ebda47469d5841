export { ChainConfig, chainSwitches } from './chain-config.js';
export {
  type ChainInfo,
  type ChainRegistry,
  chainRegistry,
  type ChainRegistryOptions,
  type CustomChain,
} from './chain-registry.js';
export { configuredChains } from './configured-chains.js';
export {
  ContractSignatures,
  type ContractSignaturesOptions,
  type SignedByContract,
} from './contract-signatures.js';
export { erc1155Balance } from './erc1155-balance.js';
export { erc20Balance } from './erc20-balance.js';
export { erc20Decimals } from './erc20-decimals.js';
export { erc20Symbol } from './erc20-symbol.js';
export { erc721Balance } from './erc721-balance.js';
export { erc721Owner } from './erc721-owner.js';
export { type Lane } from './chain-lanes.js';
export {
  type BatchReport,
  EvmReader,
  type EvmReaderHooks,
  type EvmReaderOptions,
  type ReadOptions,
} from './evm-reader.js';
export { type Address } from './hex.js';
export { nativeBalance } from './native-balance.js';
export { NodesUnavailable, type NodesUnavailableCode } from './nodes-unavailable.js';
export { type ReadFailureCode } from './read-failure.js';
export { type Outcome, type Read, type ReadFailure, type ReadSuccess } from './read.js';
export { type NodeHooks, nodeMetrics } from './node-metrics.js';
export { type NodeState } from './node-health.js';
export { type NodeCall, type NodeStateReport } from './node-reports.js';
