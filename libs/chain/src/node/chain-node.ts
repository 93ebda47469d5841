import { BlockAgeTracker, type ChainHeadTracker, type ObservedBlock } from './chain-head-tracker.js';
import { NodeHealth, type NodeState } from './node-health.js';
import type { NodeCallReport } from './node-metrics.js';
import { RpcNodeError } from './rpc-node-error.js';

export interface ChainNodeOptions {
  readonly url: string;
  readonly headTracker: ChainHeadTracker;
  readonly onCall?: (call: NodeCallReport) => void;
  readonly onState?: (state: NodeState) => void;
}

/** The words of messages to callers: Solana has slots and clusters. */
interface ChainWords {
  readonly block: 'block' | 'slot';
  readonly chain: 'chain' | 'cluster';
}

/**
 * A node of a chain of any family: its health, and whether its newest block lets its answers count. Times are by
 * `performance.now()`.
 */
export abstract class ChainNode<Options extends ChainNodeOptions = ChainNodeOptions> {
  protected readonly url: URL;
  protected readonly health: NodeHealth;
  private readonly blockAge = new BlockAgeTracker();

  constructor(
    protected readonly options: Options,
    private readonly words: ChainWords,
  ) {
    this.url = new URL(options.url);
    this.health = new NodeHealth({
      onState: options.onState,
      sendProbe: () => this.sendLivenessProbe(),
    });
  }

  getState(now: number): NodeState {
    return this.health.getState(now);
  }

  /** Whether other nodes are to be tried first. */
  isSlow(now: number): boolean {
    return this.health.isSlow(now);
  }

  /** The end of the cooldown of a rate-limited node. */
  get cooldownUntil(): number {
    return this.health.cooldownUntil;
  }

  /** Starts the checks that are due in the background, so that no read waits for them. */
  abstract runDueChecks(now: number, isStandby: boolean): void;

  /** Sends a cheap request of the kind that callers make. Rejects with RpcNodeError. */
  protected abstract sendLivenessProbe(): Promise<unknown>;

  /** Throws RpcNodeError if the node's newest block is too old. @param timestamp of that block, in seconds since 1970 */
  protected checkBlockAge(timestamp: number, nodeTimeMs: number | undefined): void {
    const ageMs = this.blockAge.measureAgeMs({
      blockTimestamp: timestamp,
      localTimeMs: Date.now(),
      nodeTimeMs,
      observedAt: performance.now(),
    });
    this.health.stuck = this.options.headTracker.isStale(ageMs);
    if (this.health.stuck)
      throw new RpcNodeError('unavailable', `the node's newest ${this.words.block} is too old`, {
        excluded: true,
      });
  }

  /** Throws RpcNodeError if the node is behind `best`, the best block when the request was sent. */
  protected checkBlockNumber(observed: ObservedBlock, best: bigint | undefined): void {
    this.updateLag(observed.blockNumber, best);
    if (this.health.lagging) throw this.createLaggingError();
    this.options.headTracker.recordBlock(observed);
  }

  protected updateLag(blockNumber: bigint, best: bigint | undefined): void {
    this.health.lagging = this.options.headTracker.isLagging(blockNumber, best);
  }

  protected createLaggingError(): RpcNodeError {
    return new RpcNodeError('unavailable', `the node is behind its ${this.words.chain}`, { excluded: true });
  }

  /** Throws RpcNodeError if the node serves another chain. */
  protected setServesChain(servesChain: boolean): void {
    this.health.wrongChain = !servesChain;
    if (!servesChain)
      throw new RpcNodeError('unavailable', `the node serves another ${this.words.chain}`, {
        excluded: true,
      });
  }
}
