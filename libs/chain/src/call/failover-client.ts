import { setTimeout as sleep } from 'node:timers/promises';
import type { ChainNode } from '../node/chain-node.js';
import { isContractError, isExecutionTimeout, RpcNodeError } from '../node/rpc-node-error.js';

/** Attempts per node and request. */
const MAX_ROUNDS = 3;
/** Milliseconds before the second round, doubling for each further round; half of it is jitter. */
const RETRY_DELAY_MS = 100;
/** A request does not wait for a node whose cooldown is longer. */
const MAX_COOLDOWN_WAIT_MS = 5_000;

/** Sends a request to the nodes of one chain in the configured order, and fails over to the next node. */
export class FailoverClient<Node extends ChainNode> {
  constructor(
    private readonly nodes: readonly Node[],
    private readonly chainName: string,
  ) {}

  /**
   * Resolves with the first result of `send`. Skips nodes that are not `up` and prefers fast ones. If every node fails, it retries after
   * a backoff, up to three rounds; a node that timed out is not retried. Rejects with RpcNodeError, preferably with one that is
   * more specific than `unavailable`.
   */
  async request<T>(send: (node: Node) => Promise<T>, signal: AbortSignal): Promise<T> {
    const timedOut = new Set<Node>();
    let failure: RpcNodeError | undefined;
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      if (round > 0 && !(await this.waitForRetry(round, timedOut, signal))) break;
      for (const node of this.listUsableNodes()) {
        if (signal.aborted) break;
        if (timedOut.has(node)) continue;
        try {
          return await send(node);
        } catch (error) {
          if (!(error instanceof RpcNodeError)) throw error;
          // A request that is too slow for a live node would block the next node as long: the caller has to make it smaller.
          if (isContractError(error) || isExecutionTimeout(error)) throw error;
          if (error.details.timedOut) timedOut.add(node);
          // A missing block is preferred, because the caller can choose another block.
          if (!failure || (failure.kind === 'unavailable' && !failure.details.blockMissing)) failure = error;
        }
      }
      if (failure && failure.kind !== 'unavailable') break;
    }
    throw failure ?? new RpcNodeError('unavailable', this.explainNoAttempt(signal));
  }

  /** Fast nodes first; also starts the background checks that are due. */
  private listUsableNodes(): Node[] {
    const now = performance.now();
    const fast: Node[] = [];
    const slow: Node[] = [];
    for (const node of this.nodes) {
      const isUp = node.getState(now) === 'up';
      const isSlow = node.isSlow(now);
      node.runDueChecks(now, !isUp || isSlow || fast.length > 0);
      if (isUp) (isSlow ? slow : fast).push(node);
    }
    return slow.length > 0 ? [...fast, ...slow] : fast;
  }

  /** Sleeps until the next round; false if no node can become usable in time. */
  private async waitForRetry(
    round: number,
    timedOut: ReadonlySet<Node>,
    signal: AbortSignal,
  ): Promise<boolean> {
    const now = performance.now();
    let waitMs = Infinity;
    for (const node of this.nodes) {
      const state = node.getState(now);
      if (timedOut.has(node)) continue;
      if (state === 'up') waitMs = 0;
      if (state === 'rate_limited') waitMs = Math.min(waitMs, node.cooldownUntil - now);
    }
    if (waitMs > MAX_COOLDOWN_WAIT_MS || signal.aborted) return false;
    const backoffMs = RETRY_DELAY_MS * 2 ** (round - 1) * (0.5 + Math.random() / 2);
    // The sleep rejects only when the signal aborts.
    return sleep(waitMs + backoffMs, true, { signal }).catch(() => false);
  }

  private explainNoAttempt(signal: AbortSignal): string {
    if (this.nodes.length === 0) return `no RPC URL is configured for ${this.chainName}`;
    if (signal.aborted) return 'the request ran out of time';
    const now = performance.now();
    const reasons = new Set(this.nodes.map((node) => REASON_BY_STATE[node.getState(now)]));
    return `no node of ${this.chainName} is usable: ${[...reasons].join(', ')}`;
  }
}

const REASON_BY_STATE = {
  up: 'gave no response',
  breaker_open: 'failed too often',
  wrong_chain: 'serves another chain',
  stuck: 'has no new blocks',
  lagging: 'is behind its chain',
  rate_limited: 'is rate limiting',
} as const;
