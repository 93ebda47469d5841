import { hasFinishedWithin } from '@app/common';
import { createEthCallClient } from '../nodes/create-eth-call-client.js';
import { ChainReader, type ChainReaderOptions, type LaneBatchReport, type ReadLane } from './chain-reader.js';
import { type ChainInfo, type ChainRegistry } from '../chains/chain-registry.js';
import { JsonRpcClient } from '../nodes/json-rpc-client.js';
import { createReadFailure } from '../../shared/read-result.js';
import { type ReadResult, type ContractRead } from '../codec/contract-read.js';
import { type NodeCallReport, type NodeStateReport } from '../../shared/node-metrics.js';
import { toReadResult } from './to-read-result.js';

/** One finished chunk of one chain, for metrics. */
export interface BatchReport extends LaneBatchReport {
  readonly chainId: number;
}

/** Callbacks for metrics; they must not throw. */
export interface EvmReaderHooks {
  /** After each chunk. */
  readonly onBatch?: (report: BatchReport) => void;
  /** After each HTTP request to a node. */
  readonly onNodeCall?: (call: NodeCallReport) => void;
  /** When a node becomes fit or unfit to be asked; once for each node when its chain is used first. */
  readonly onNodeState?: (report: NodeStateReport) => void;
  /** Reads that were answered from memory. */
  readonly onCacheHits?: (report: { readonly chainId: number; readonly hits: number }) => void;
  /** How many contracts are read by themselves from now on. */
  readonly onQuarantine?: (report: { readonly chainId: number; readonly contracts: number }) => void;
}

export interface EvmReaderOptions extends EvmReaderHooks {
  readonly chains: ChainRegistry;
  /** Whether answers are given out again for one block time: true. Never on chains whose block time is 0 or not known. */
  readonly cache?: boolean;
  /** Blocks that a node may be behind the best one: 3. */
  readonly maxLagBlocks?: number;
  /** Milliseconds after which a read is answered with a time-out: 10,000. */
  readonly budgetMs?: number;
  /** Distinct calls per chunk: 500. */
  readonly maxBatchSize?: number;
  /** Chunks under way per chain: 8. */
  readonly maxInFlight?: number;
  /** Milliseconds that reads gather for at most where more are sure to come: 8. */
  readonly batchWindowMs?: number;
  /** Milliseconds that a contract which hurt a batch is read by itself for: 60,000. */
  readonly quarantineMs?: number;
  /** Milliseconds after which a node names its chain again: 60,000. */
  readonly chainIdCheckIntervalMs?: number;
  /** Milliseconds after which a node that stands by tells its block again: 10,000. */
  readonly standbyProbeIntervalMs?: number;
  /** Milliseconds: 2,000. */
  readonly connectTimeoutMs?: number;
  /** Milliseconds for one HTTP request: 4,000, so that a second node still has its turn within the budget. */
  readonly requestTimeoutMs?: number;
  /** 8 MiB. */
  readonly maxResponseBytes?: number;
  /** Sockets per node: 32. */
  readonly connections?: number;
}

export interface ReadOptions {
  /** Ends the wait, not what was sent for others too. */
  readonly signal?: AbortSignal;
  /** `background` goes behind everybody else: for re-checks that nobody waits for. */
  readonly lane?: Exclude<ReadLane, 'quarantine'>;
}

/** Reads contracts on EVM chains; reads of all callers that arrive together travel together. */
export class EvmReader {
  private readonly chains = new Map<number, ChainReader>();
  private readonly rpc: JsonRpcClient;
  private readonly limits: ChainReaderOptions['foreground'];
  private closed = false;

  constructor(private readonly options: EvmReaderOptions) {
    const { maxBatchSize = 500, maxInFlight = 8, batchWindowMs = 8, budgetMs = 10_000 } = options;
    this.limits = { maxBatchSize, maxInFlight, batchWindowMs, budgetMs };
    this.rpc = new JsonRpcClient({
      connectTimeoutMs: options.connectTimeoutMs ?? 2_000,
      requestTimeoutMs: options.requestTimeoutMs ?? 4_000,
      maxResponseBytes: options.maxResponseBytes ?? 8 * 1024 * 1024,
      connections: options.connections ?? 32,
    });
  }

  /**
   * One outcome per read, in order. Rejects only for faults of our own: what nodes and contracts do wrong is an outcome.
   * Reads without an answer when the budget or the signal ends are a transient time-out.
   */
  async read<T>(
    chainId: number,
    reads: readonly ContractRead<T>[],
    { signal, lane = 'foreground' }: ReadOptions = {},
  ): Promise<ReadResult<T>[]> {
    const chain = this.options.chains.find(chainId);
    if (!chain) return reads.map(() => createReadFailure('unknown_chain', `chain ${chainId} is not known`));
    if (this.closed) return reads.map(() => createReadFailure('unavailable', 'the reader is closed'));
    const group = this.lanesOf(chain).read(reads, lane);
    try {
      await hasFinishedWithin(this.limits.budgetMs, group.complete, signal);
    } finally {
      group.isAbandoned = true;
    }
    return reads.map((read, index) => {
      const raw = group.results[index];
      return raw
        ? toReadResult(read, raw)
        : createReadFailure('timeout', `${chain.name} did not answer in time`);
    });
  }

  /** Ends connections and what is under way; later reads are unavailable. */
  async close(): Promise<void> {
    this.closed = true;
    for (const lanes of this.chains.values()) lanes.close();
    await this.rpc.close();
  }

  private lanesOf(chain: ChainInfo): ChainReader {
    let lanes = this.chains.get(chain.id);
    if (!lanes) this.chains.set(chain.id, (lanes = this.createLanes(chain)));
    return lanes;
  }

  private createLanes(chain: ChainInfo): ChainReader {
    const { options } = this;
    const chainId = chain.id;
    return new ChainReader({
      ethCallClient: createEthCallClient(chain, this.rpc, options),
      foreground: this.limits,
      cacheTtlMs: options.cache === false ? 0 : (chain.blockTime ?? 0),
      quarantineMs: options.quarantineMs ?? 60_000,
      onBatch: (chunk) => options.onBatch?.({ chainId, ...chunk }),
      onCacheHits: (hits) => options.onCacheHits?.({ chainId, hits }),
      onQuarantine: (contracts) => options.onQuarantine?.({ chainId, contracts }),
    });
  }
}
