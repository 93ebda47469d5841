export { type ReadLane } from '../batch/read-batcher.js';
export { isContractError } from '../node/rpc-node-error.js';
export { toJsonRpcError } from '../node/evm/to-json-rpc-error.js';
export { type NodeState } from '../node/node-health.js';
export {
  createNodeMetrics,
  type NodeCallReport,
  type NodeMetricsHooks,
  type NodeStateReport,
} from '../node/node-metrics.js';
export { type ContractRead, MAX_LARGE_TEXT_BYTES } from '../reads/evm/contract-read.js';
export * from '../reads/evm/delegate-registry-reads.js';
export * from '../reads/evm/reads.js';
export * from '../reads/evm/token-reads.js';
export {
  createReadFailure,
  type ReadFailure,
  type ReadFailureCode,
  type ReadResult,
  type ReadSuccess,
} from '../reads/read-result.js';
export { CHECK_TIMEOUT_MS } from '../node/time-limits.js';
export {
  ChainConfig,
  confirmationsConfigSchema,
  createConfiguredChainRegistry,
  loadConfirmations,
  readPerChain,
} from '../node/nodes.config.js';
export {
  type ChainInfo,
  type ChainRegistry,
  createChainRegistry,
  type ChainRegistryOptions,
  type CustomChain,
} from './chains/chain-registry.js';
export {
  type BatchReport,
  EvmReader,
  type EvmReaderHooks,
  type EvmReaderOptions,
  type ReadOptions,
} from './evm-reader.js';
export { type BlockSpan, isLogRangeRefusal, LogRange } from './logs/log-range.js';
export { type OwnerChange } from './logs/owner-change-logs.js';
export { type OwnerChanges, type WatchedContract } from './logs/owner-change-node.js';
export { type OwnerChangeHead, OwnerChangeReader } from './logs/owner-change-reader.js';
export {
  type ReceivedTokens,
  type ReceivedTokensQuery,
  TransferLogReader,
  type TransferLogResult,
} from './logs/transfer-log-reader.js';
export {
  type ContractSignatureClaim,
  ContractSignatureVerifier,
  type ContractSignatureVerifierOptions,
  NodesUnavailableError,
  type NodesUnavailableErrorCode,
} from './signatures/contract-signature-verifier.js';
