import { MINUTE_MS } from '@app/common';
import { ChainHeadTracker, toMaxLagBlocks } from '../node/chain-head-tracker.js';
import { FailoverClient } from '../call/failover-client.js';
import {
  type LaneBatchReport,
  ReadBatcher,
  type ReadBatch,
  type RequestedLane,
} from '../batch/read-batcher.js';
import { NodeHttpClient } from '../http/node-http-client.js';
import type { NodeCallReport, NodeStateReport } from '../node/node-metrics.js';
import { createReadFailure, type ReadResult } from '../reads/read-result.js';
import {
  CHECK_TIMEOUT_MS,
  DEFAULT_NODE_CONNECT_TIMEOUT_MS,
  DEFAULT_NODE_TIMEOUT_MS,
} from '../node/time-limits.js';
import type { SolanaChainInfo } from './solana-chains.js';
import { SolanaNodeClient } from '../node/solana/solana-node-client.js';
import { type SolanaCall, type SolanaRead, toCallKey, toCallTarget } from '../reads/solana/solana-read.js';
import { readSolanaBatch } from '../batch/solana/read-solana-batch.js';

export interface SolanaReaderOptions {
  readonly chains: ReadonlyMap<number, SolanaChainInfo>;
  /** Whether results are cached until a newer slot is seen, at most 2 s: true. */
  readonly cache?: boolean;
  /** Milliseconds: 2,000. */
  readonly connectTimeoutMs?: number;
  /** Milliseconds for one HTTP request: 4,000. */
  readonly requestTimeoutMs?: number;
  /** Callbacks for metrics; they must not throw. */
  readonly onBatch?: (report: LaneBatchReport & { readonly chainId: number }) => void;
  readonly onCacheHits?: (report: { readonly chainId: number; readonly hits: number }) => void;
  readonly onQuarantine?: (report: { readonly chainId: number; readonly contracts: number }) => void;
  readonly onNodeCall?: (call: NodeCallReport) => void;
  readonly onNodeState?: (report: NodeStateReport) => void;
}

export interface SolanaReadOptions {
  /** Stops waiting; requests continue, because other callers share them. */
  readonly signal?: AbortSignal;
  /** `background` yields to foreground reads: for periodic re-checks. */
  readonly lane?: RequestedLane;
  /**
   * Reads at this slot or a later one. Where no node has reached it, reads fail with a transient `block_unavailable`.
   * Unset: the newest slot of any node.
   */
  readonly block?: bigint;
  /** The tenant of the reads: a batch that fails is split by tenant first. Unset for reads of no tenant. */
  readonly tenantId?: string;
}

const SLOT_MS = 400;
/** Ten seconds: nodes answer for their newest confirmed slot, which differs by some slots. */
const MAX_LAG_SLOTS = 25;
const CACHE_TTL_MS = 2_000;
const QUARANTINE_MS = MINUTE_MS;
const STANDBY_PROBE_INTERVAL_MS = 10_000;
const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;
const CONNECTIONS_PER_NODE = 32;
const FOREGROUND_LIMITS = {
  maxBatchSize: 200,
  maxInFlight: 16,
  batchWindowMs: 3,
  budgetMs: CHECK_TIMEOUT_MS,
} as const;

/** Reads accounts on Solana clusters. Concurrent reads of all callers are deduplicated and batched. */
export class SolanaReader {
  private readonly readers = new Map<number, ReadBatcher<SolanaCall>>();
  private readonly http: NodeHttpClient;
  private closed = false;

  constructor(private readonly options: SolanaReaderOptions) {
    this.http = new NodeHttpClient({
      connectTimeoutMs: options.connectTimeoutMs ?? DEFAULT_NODE_CONNECT_TIMEOUT_MS,
      requestTimeoutMs: options.requestTimeoutMs ?? DEFAULT_NODE_TIMEOUT_MS,
      maxResponseBytes: MAX_RESPONSE_BYTES,
      connections: CONNECTIONS_PER_NODE,
    });
  }

  /**
   * Reads; the results are in the order of `reads`. Rejects only on an internal error: failures of nodes and accounts
   * are results. Reads without a result when the budget of 10 s ends or the signal aborts fail with a transient
   * `timeout`.
   */
  async read<T>(
    chainId: number,
    reads: readonly SolanaRead<T>[],
    { signal, lane = 'foreground', block, tenantId }: SolanaReadOptions = {},
  ): Promise<ReadResult<T>[]> {
    const chain = this.options.chains.get(chainId);
    if (!chain) return reads.map(() => createReadFailure('unknown_chain', `chain ${chainId} is not known`));
    if (this.closed) return reads.map(() => createReadFailure('unavailable', 'the reader is closed'));
    const calls = reads.map(({ call }) => call);
    const results = await this.getReader(chain).collect(calls, { lane, signal, block, tenantId });
    return reads.map((read, index) => {
      const result = results[index];
      if (!result) return createReadFailure('timeout', `${chain.name} did not answer in time`);
      if (result.kind === 'failed') return result.failure;
      if (result.kind === 'reverted') throw new Error('Solana accounts do not revert');
      const value = read.decode(result.data);
      if (value === undefined) return createReadFailure('no_contract', read.absence);
      return { ok: true, value, blockNumber: result.blockNumber };
    });
  }

  /** Closes connections and fails pending requests; later reads are `unavailable`. */
  async close(): Promise<void> {
    this.closed = true;
    for (const reader of this.readers.values()) reader.close();
    await this.http.close();
  }

  private getReader(chain: SolanaChainInfo): ReadBatcher<SolanaCall> {
    let reader = this.readers.get(chain.id);
    if (!reader) this.readers.set(chain.id, (reader = this.createReader(chain)));
    return reader;
  }

  private createReader(chain: SolanaChainInfo): ReadBatcher<SolanaCall> {
    const { options } = this;
    const chainId = chain.id;
    const nodes = this.createFailoverClient(chain);
    const read = (batch: ReadBatch<SolanaCall>) => readSolanaBatch(batch, nodes);
    return new ReadBatcher<SolanaCall>({
      foreground: FOREGROUND_LIMITS,
      cacheTtlMs: options.cache === false ? 0 : CACHE_TTL_MS,
      quarantineMs: QUARANTINE_MS,
      toKey: toCallKey,
      toTarget: toCallTarget,
      isScan: ({ kind }) => kind === 'core_assets',
      readTogether: read,
      readAlone: read,
      onBatch: (batch) => options.onBatch?.({ chainId, ...batch }),
      onCacheHits: (hits) => options.onCacheHits?.({ chainId, hits }),
      onQuarantine: (contracts) => options.onQuarantine?.({ chainId, contracts }),
    });
  }

  private createFailoverClient(chain: SolanaChainInfo): FailoverClient<SolanaNodeClient> {
    const { onNodeCall, onNodeState } = this.options;
    const headTracker = new ChainHeadTracker({
      blockTime: SLOT_MS,
      hasFixedBlockTime: true,
      // A single node has no other to lag behind.
      ...(chain.rpcUrls.length > 1 ? { maxLagBlocks: toMaxLagBlocks(MAX_LAG_SLOTS, SLOT_MS) } : {}),
    });
    const nodes = chain.rpcUrls.map((url, node) => {
      onNodeState?.({ chainId: chain.id, node, state: 'up' });
      return new SolanaNodeClient({
        chain,
        url,
        http: this.http,
        headTracker,
        standbyProbeIntervalMs: STANDBY_PROBE_INTERVAL_MS,
        onCall: onNodeCall,
        onState: (state) => onNodeState?.({ chainId: chain.id, node, state }),
      });
    });
    return new FailoverClient(nodes, chain.name);
  }
}
