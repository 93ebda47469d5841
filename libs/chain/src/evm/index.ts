export { ChainConfig, readPerChain } from './chains/chain-config.js';
export {
  type ChainInfo,
  type ChainRegistry,
  createChainRegistry,
  type ChainRegistryOptions,
  type CustomChain,
} from './chains/chain-registry.js';
export { createConfiguredChainRegistry } from './chains/create-configured-chain-registry.js';
export {
  type ContractSignatureClaim,
  ContractSignatureVerifier,
  type ContractSignatureVerifierOptions,
  NodesUnavailableError,
  type NodesUnavailableErrorCode,
} from './signatures/contract-signature-verifier.js';
export * from './reads/reads.js';
export * from './reads/staking-reads.js';
export { createAccountCodeRead } from './reads/create-account-code-read.js';
export { createSafeOwnerRead } from './reads/create-safe-owner-read.js';
export { createPoapDetailsRead, type PoapDetails } from './reads/poap-details-read.js';
export * from './reads/token-reads.js';
export { createErc20SymbolRead } from './reads/create-erc20-symbol-read.js';
export {
  type ReceivedTokens,
  type ReceivedTokensQuery,
  TransferLogReader,
  type TransferLogResult,
} from './logs/transfer-log-reader.js';
export { type BlockSpan, isLogRangeRefusal, LogRange } from './logs/log-range.js';
export { type ReadLane } from '../shared/lane-reader.js';
export {
  type BatchReport,
  EvmReader,
  type EvmReaderHooks,
  type EvmReaderOptions,
  type ReadOptions,
} from './batching/evm-reader.js';
export {
  createReadFailure,
  type ReadFailure,
  type ReadFailureCode,
  type ReadResult,
  type ReadSuccess,
} from '../shared/read-result.js';
export { type ContractRead, MAX_LARGE_TEXT_BYTES } from './codec/contract-read.js';
export { type NodeState } from '../shared/node-health-monitor.js';
export {
  createNodeMetrics,
  type NodeCallReport,
  type NodeMetricsHooks,
  type NodeStateReport,
} from '../shared/node-metrics.js';
export { toJsonRpcError } from './nodes/to-json-rpc-error.js';
export { isContractError } from '../shared/rpc-node-error.js';
