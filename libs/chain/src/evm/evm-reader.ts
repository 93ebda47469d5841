import { ChainBatcher, type ChunkReport } from './chain-batcher.js';
import { ChainNodes } from './chain-nodes.js';
import { type ChainInfo, type ChainRegistry } from './chain-registry.js';
import { ContractCalls } from './contract-calls.js';
import { JsonRpc } from './json-rpc.js';
import { readFailure } from './read-failure.js';
import { type Outcome, type Read } from './read.js';
import { type NodeCall, RpcProvider } from './rpc-provider.js';
import { settleRead } from './settle-read.js';
import { waitAtMost } from './wait-at-most.js';

/** One finished chunk of one chain, for metrics. */
export interface BatchReport extends ChunkReport {
  readonly chainId: number;
}

export interface EvmReaderOptions {
  readonly chains: ChainRegistry;
  /** Called after each chunk; must not throw. */
  readonly onBatch?: (report: BatchReport) => void;
  /** Called after each HTTP request to a node; must not throw. */
  readonly onNodeCall?: (call: NodeCall) => void;
  /** Milliseconds after which a read is answered with a time-out: 10,000. */
  readonly budgetMs?: number;
  /** Distinct calls per chunk: 500. */
  readonly chunkSize?: number;
  /** Chunks under way per chain: 8. */
  readonly maxInFlight?: number;
  /** Milliseconds that reads gather for while a chunk is under way: 4. */
  readonly gatherMs?: number;
  /** Milliseconds: 2,000. */
  readonly connectTimeoutMs?: number;
  /** Milliseconds for one HTTP request: 4,000, so that a second node still has its turn within the budget. */
  readonly requestTimeoutMs?: number;
  /** 8 MiB. */
  readonly maxResponseBytes?: number;
  /** Sockets per node: 32. */
  readonly connections?: number;
}

/** Reads contracts on EVM chains; reads of all callers that arrive together travel together. */
export class EvmReader {
  private readonly batchers = new Map<number, ChainBatcher>();
  private readonly rpc: JsonRpc;
  private readonly budgetMs: number;
  private closed = false;

  constructor(private readonly options: EvmReaderOptions) {
    this.budgetMs = options.budgetMs ?? 10_000;
    this.rpc = new JsonRpc({
      connectTimeoutMs: options.connectTimeoutMs ?? 2_000,
      requestTimeoutMs: options.requestTimeoutMs ?? 4_000,
      maxResponseBytes: options.maxResponseBytes ?? 8 * 1024 * 1024,
      connections: options.connections ?? 32,
    });
  }

  /**
   * One outcome per read, in order. Rejects only for faults of our own: what nodes and contracts do wrong is an outcome.
   * `signal` ends the wait, not what was sent for others too; reads without an answer by then are a transient time-out.
   */
  async read<T>(
    chainId: number,
    reads: readonly Read<T>[],
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<Outcome<T>[]> {
    const chain = this.options.chains.find(chainId);
    if (!chain) return reads.map(() => readFailure('unknown_chain', `chain ${chainId} is not known`));
    if (this.closed) return reads.map(() => readFailure('unavailable', 'the reader is closed'));
    const outcomes: Outcome<T>[] = reads.map(() =>
      readFailure('timeout', `${chain.name} did not answer in time`),
    );
    const batcher = this.batcher(chain);
    const answered = reads.map(async (read, index) => {
      outcomes[index] = settleRead(read, await batcher.add(read));
    });
    await waitAtMost(this.budgetMs, Promise.all(answered), signal);
    return [...outcomes];
  }

  /** Ends connections and what is under way; later reads are unavailable. */
  async close(): Promise<void> {
    this.closed = true;
    await this.rpc.close();
  }

  private batcher(chain: ChainInfo): ChainBatcher {
    let batcher = this.batchers.get(chain.id);
    if (!batcher) {
      batcher = this.createBatcher(chain);
      this.batchers.set(chain.id, batcher);
    }
    return batcher;
  }

  private createBatcher(chain: ChainInfo): ChainBatcher {
    const { onBatch, onNodeCall, chunkSize = 500, maxInFlight = 8, gatherMs = 4 } = this.options;
    const providers = chain.rpcUrls.map((url) => new RpcProvider(this.rpc, chain.id, url, onNodeCall));
    const contracts = new ContractCalls(new ChainNodes(providers, chain.name), chain.multicall3);
    const limits = { chunkSize, maxInFlight, gatherMs, budgetMs: this.budgetMs };
    return new ChainBatcher(contracts, limits, (chunk) => onBatch?.({ chainId: chain.id, ...chunk }));
  }
}
