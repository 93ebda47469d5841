import { MINUTE_MS } from '@app/common';
import { createEthCallClient } from '../call/evm/create-eth-call-client.js';
import { IsolatedReads } from '../batch/evm/isolated-reads.js';
import {
  type LaneBatchReport,
  ReadBatcher,
  type RequestedLane,
  type ReadBatcherOptions,
} from '../batch/read-batcher.js';
import type { ChainInfo, ChainRegistry } from './chains/chain-registry.js';
import { JsonRpcClient } from '../node/evm/json-rpc-client.js';
import { createReadFailure, type ReadResult, type CallResult } from '../reads/read-result.js';
import type { ContractRead, ReadCall } from '../reads/evm/contract-read.js';
import type { NodeCallReport, NodeStateReport } from '../node/node-metrics.js';
import {
  CHECK_TIMEOUT_MS,
  DEFAULT_NODE_CONNECT_TIMEOUT_MS,
  DEFAULT_NODE_TIMEOUT_MS,
} from '../node/time-limits.js';
import { MalformedReturnDataError } from '../reads/evm/abi-codec.js';
import type { EthCallClient } from '../call/evm/eth-call-client.js';
import { readAlone, readBatch } from '../batch/evm/read-batch.js';

/** A finished batch of one chain, for metrics. */
export interface BatchReport extends LaneBatchReport {
  readonly chainId: number;
}

/** Callbacks for metrics; they must not throw. */
export interface EvmReaderHooks {
  /** After each batch. */
  readonly onBatch?: (report: BatchReport) => void;
  /** After each HTTP request to a node. */
  readonly onNodeCall?: (call: NodeCallReport) => void;
  /** When a node's state changes, and once per node when its chain is used first. */
  readonly onNodeState?: (report: NodeStateReport) => void;
  /** Number of reads served from the cache. */
  readonly onCacheHits?: (report: { readonly chainId: number; readonly hits: number }) => void;
  /** Number of contracts in quarantine, after each change. */
  readonly onQuarantine?: (report: { readonly chainId: number; readonly contracts: number }) => void;
}

export interface EvmReaderOptions extends EvmReaderHooks {
  readonly chains: ChainRegistry;
  /** Whether results are cached for one block time: true. Never on chains whose block time is 0 or unknown. */
  readonly cache?: boolean;
  /** Blocks that a node may lag behind the best one: 3. */
  readonly maxLagBlocks?: number;
  /** Milliseconds after which a read fails with a timeout: those of a check. */
  readonly budgetMs?: number;
  /** Distinct calls per batch: 500. */
  readonly maxBatchSize?: number;
  /** Concurrent foreground batches per chain: 8. */
  readonly maxInFlight?: number;
  /** Milliseconds that reads wait for others while the chain is busy: 8. */
  readonly batchWindowMs?: number;
  /** Milliseconds of quarantine for a misbehaving contract: 60,000. */
  readonly quarantineMs?: number;
  /** Milliseconds between checks of a node's chain id: 60,000. */
  readonly chainIdCheckIntervalMs?: number;
  /** Milliseconds between block probes of a standby node: 10,000. */
  readonly standbyProbeIntervalMs?: number;
  /** Milliseconds: DEFAULT_NODE_CONNECT_TIMEOUT_MS. */
  readonly connectTimeoutMs?: number;
  /** Milliseconds for one HTTP request: DEFAULT_NODE_TIMEOUT_MS. */
  readonly requestTimeoutMs?: number;
  /** Bytes: 8 MiB. */
  readonly maxResponseBytes?: number;
  /** Sockets per origin, besides those of isolated reads: 32. */
  readonly connections?: number;
}

export interface ReadOptions {
  /** Stops waiting; requests continue, because other callers share them. */
  readonly signal?: AbortSignal;
  /** `background` yields to foreground reads: for periodic re-checks. */
  readonly lane?: RequestedLane;
  /**
   * Reads at this block, as `blockNumber` of an earlier result gives it. Where no node has it, reads fail with a transient
   * `block_unavailable`. Unset: the newest block.
   */
  readonly block?: bigint;
  /** The tenant of the reads: a batch that fails is split by tenant first. Unset for reads of no tenant. */
  readonly tenantId?: string;
}

/** The readers of one chain. */
interface ChainReaders {
  readonly shared: ReadBatcher<ReadCall>;
  readonly isolated: IsolatedReads;
}

/** Limits of foreground reads; the other lanes have theirs in read-batcher.ts. */
const DEFAULT_LIMITS = {
  maxBatchSize: 500,
  maxInFlight: 8,
  batchWindowMs: 8,
  budgetMs: CHECK_TIMEOUT_MS,
} as const;

/** Reads contracts on EVM chains. Concurrent reads of all callers are deduplicated and batched (docs/adr/0021). */
export class EvmReader {
  private readonly chains = new Map<number, ChainReaders>();
  private readonly rpc: JsonRpcClient;
  private readonly limits: ChainReaderOptions['foreground'];
  private closed = false;

  constructor(private readonly options: EvmReaderOptions) {
    const { maxBatchSize, maxInFlight, batchWindowMs, budgetMs } = { ...DEFAULT_LIMITS, ...options };
    this.limits = { maxBatchSize, maxInFlight, batchWindowMs, budgetMs };
    this.rpc = new JsonRpcClient({
      connectTimeoutMs: options.connectTimeoutMs ?? DEFAULT_NODE_CONNECT_TIMEOUT_MS,
      requestTimeoutMs: options.requestTimeoutMs ?? DEFAULT_NODE_TIMEOUT_MS,
      maxResponseBytes: options.maxResponseBytes ?? 8 * 1024 * 1024,
      connections: options.connections ?? 32,
    });
  }

  /**
   * Reads; the results are in the order of `reads`. Rejects only on an internal error: failures of nodes and contracts
   * are results. Reads without a result when the budget ends or the signal aborts fail with a transient `timeout`.
   */
  async read<T>(
    chainId: number,
    reads: readonly ContractRead<T>[],
    { signal, lane = 'foreground', block, tenantId }: ReadOptions = {},
  ): Promise<ReadResult<T>[]> {
    const chain = this.options.chains.find(chainId);
    if (!chain) return reads.map(() => createReadFailure('unknown_chain', `chain ${chainId} is not known`));
    if (this.closed) return reads.map(() => createReadFailure('unavailable', 'the reader is closed'));
    const results = await collect(this.getReaders(chain), reads, { lane, signal, block, tenantId });
    return reads.map((read, index) => {
      const result = results[index];
      return result
        ? toReadResult(read, result)
        : createReadFailure('timeout', `${chain.name} did not answer in time`);
    });
  }

  /** Closes connections and fails pending requests; later reads are `unavailable`. */
  async close(): Promise<void> {
    this.closed = true;
    for (const { shared, isolated } of this.chains.values()) {
      shared.close();
      isolated.close();
    }
    await this.rpc.close();
  }

  private getReaders(chain: ChainInfo): ChainReaders {
    let readers = this.chains.get(chain.id);
    if (!readers) this.chains.set(chain.id, (readers = this.createReaders(chain)));
    return readers;
  }

  private createReaders(chain: ChainInfo): ChainReaders {
    const { options } = this;
    const chainId = chain.id;
    const common = {
      ethCallClient: createEthCallClient(chain, this.rpc, options),
      foreground: this.limits,
      quarantineMs: options.quarantineMs ?? MINUTE_MS,
    };
    return {
      shared: createChainReader({
        ...common,
        cacheTtlMs: options.cache === false ? 0 : (chain.blockTime ?? 0),
        onBatch: (batch) => options.onBatch?.({ chainId, ...batch }),
        onCacheHits: (hits) => options.onCacheHits?.({ chainId, hits }),
        onQuarantine: (contracts) => options.onQuarantine?.({ chainId, contracts }),
      }),
      isolated: new IsolatedReads({
        ...common,
        onBatch: (batch) => options.onBatch?.({ chainId, ...batch, lane: 'isolated' }),
      }),
    };
  }
}

type CollectOptions = Pick<ReadOptions, 'signal' | 'block' | 'tenantId'> & { readonly lane: RequestedLane };
type Results = readonly (CallResult | undefined)[];

/** Collects results in the order of the reads, those of functions that rules chose apart from the others. */
async function collect(
  { shared, isolated }: ChainReaders,
  reads: readonly ContractRead<unknown>[],
  options: CollectOptions,
): Promise<Results> {
  if (!reads.some(({ isIsolated }) => isIsolated)) return shared.collect(reads, options);
  const [own, others] = [
    reads.filter(({ isIsolated }) => isIsolated),
    reads.filter(({ isIsolated }) => !isIsolated),
  ];
  const [ownResults, otherResults] = await Promise.all([
    isolated.of(options.tenantId ?? '').collect(own, options),
    others.length > 0 ? shared.collect(others, options) : [],
  ]);
  const [nextOwn, nextOther] = [ownResults.values(), otherResults.values()];
  return reads.map(({ isIsolated }) => (isIsolated ? nextOwn : nextOther).next().value);
}

/** Decodes a call result for the read it belongs to, and classifies the permanent failures of contracts. */
function toReadResult<T>(read: ContractRead<T>, result: CallResult): ReadResult<T> {
  if (result.kind === 'failed') return result.failure;
  const { blockNumber } = result;
  if (result.kind === 'reverted') {
    const { onRevert } = read;
    if (onRevert && !(onRevert.needsReason && result.isBare))
      return { ok: true, value: onRevert.value, blockNumber };
    return createReadFailure('reverted', 'the contract reverted');
  }
  // A call to an address without code succeeds with empty data; so does a contract with an accepting fallback.
  if (result.data === '')
    return createReadFailure('no_contract', 'no contract at this address answers this call');
  try {
    return { ok: true, value: read.decode(result.data), blockNumber };
  } catch (error) {
    if (error instanceof MalformedReturnDataError)
      return createReadFailure('malformed_answer', error.message);
    throw error;
  }
}

interface ChainReaderOptions extends Pick<
  ReadBatcherOptions<ReadCall>,
  'foreground' | 'cacheTtlMs' | 'quarantineMs' | 'onBatch' | 'onCacheHits' | 'onQuarantine'
> {
  readonly ethCallClient: EthCallClient;
}

/** Creates the reader of one EVM chain. Quarantine isolates contracts. */
export function createChainReader({ ethCallClient, ...options }: ChainReaderOptions): ReadBatcher<ReadCall> {
  return new ReadBatcher<ReadCall>({
    ...options,
    toKey: ({ to, data, isLarge }) => (isLarge ? `${to}${data} large` : to + data),
    isScan: ({ isLarge }) => isLarge === true,
    toTarget: ({ to }) => to,
    readTogether: (batch) => readBatch(batch, ethCallClient),
    readAlone: (batch) => readAlone(batch, ethCallClient),
  });
}
