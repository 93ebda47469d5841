export { ChainConfig, chainConfigSchema } from './chains/chain-config.js';
export {
  type ChainInfo,
  type ChainRegistry,
  createChainRegistry,
  type ChainRegistryOptions,
  type CustomChain,
} from './chains/chain-registry.js';
export { createConfiguredChainRegistry } from './chains/create-configured-chain-registry.js';
export {
  ContractSignatureVerifier,
  type ContractSignatureVerifierOptions,
  type ContractSignatureClaim,
} from './signatures/contract-signature-verifier.js';
export { createErc1155BalanceRead } from './reads/create-erc1155-balance-read.js';
export { createErc20BalanceRead } from './reads/create-erc20-balance-read.js';
export { createErc20DecimalsRead } from './reads/create-erc20-decimals-read.js';
export { createErc20SymbolRead } from './reads/create-erc20-symbol-read.js';
export { createErc721BalanceRead } from './reads/create-erc721-balance-read.js';
export { createErc721OwnerRead } from './reads/create-erc721-owner-read.js';
export { type ReadLane } from './batching/chain-reader.js';
export {
  type BatchReport,
  EvmReader,
  type EvmReaderHooks,
  type EvmReaderOptions,
  type ReadOptions,
} from './batching/evm-reader.js';
export { type Address } from './codec/abi-encode.js';
export { createNativeBalanceRead } from './reads/create-native-balance-read.js';
export {
  NodesUnavailableError,
  type NodesUnavailableErrorCode,
} from './signatures/contract-signature-verifier.js';
export { type ReadFailureCode } from '../shared/read-result.js';
export {
  type ReadResult,
  type ContractRead,
  type ReadFailure,
  type ReadSuccess,
} from './codec/contract-read.js';
export { type NodeMetricsHooks, createNodeMetrics } from '../shared/node-metrics.js';
export { type NodeState } from '../shared/node-health-monitor.js';
export { type NodeCallReport, type NodeStateReport } from '../shared/node-metrics.js';
