import { setTimeout as sleep } from 'node:timers/promises';
import { isContractError, isExecutionTimeout, RpcNodeError } from '../../shared/rpc-node-error.js';
import { type RpcNodeRequest } from './rpc-node-request.js';
import { type RpcNodeClient } from './rpc-node-client.js';

/** How often each node is asked one question at most: the first time and twice more. */
const MAX_ROUNDS = 3;
/** Milliseconds before the second round, doubling; half of it is jitter. */
const RETRY_DELAY_MS = 100;
/** A node that wants a longer rest is not waited for. */
const MAX_COOLDOWN_WAIT_MS = 5_000;

/** The nodes of one chain, asked in the configured order: the next one when a node has no answer. */
export class FailoverClient {
  constructor(
    private readonly providers: readonly RpcNodeClient[],
    private readonly chainName: string,
  ) {}

  /**
   * Resolves with the first usable answer. Nodes that can not be believed or hardly answer are passed over; when none has
   * an answer they are asked again after a pause, each at most three times in all and not again after a time-out. Rejects
   * with NodeFailure: the most telling one.
   */
  async request<T>(question: RpcNodeRequest<T>, signal: AbortSignal): Promise<T> {
    const late = new Set<RpcNodeClient>();
    let failure: RpcNodeError | undefined;
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      if (round > 0 && !(await this.pause(round, late, signal))) break;
      for (const provider of this.inOrder()) {
        if (signal.aborted) break;
        if (late.has(provider)) continue;
        try {
          return await provider.request(question, signal);
        } catch (error) {
          if (!(error instanceof RpcNodeError)) throw error;
          // A question that is too long for a node that lives would keep the next one just as long: it is to be made smaller.
          if (isContractError(error) || isExecutionTimeout(error)) throw error;
          if (error.details.timedOut) late.add(provider);
          if (!failure || failure.kind === 'unavailable') failure = error;
        }
      }
      if (failure && failure.kind !== 'unavailable') break;
    }
    throw failure ?? new RpcNodeError('unavailable', this.silence(signal));
  }

  private inOrder(): RpcNodeClient[] {
    const now = performance.now();
    const ready: RpcNodeClient[] = [];
    const slow: RpcNodeClient[] = [];
    for (const provider of this.providers) {
      const usable = provider.getState(now) === 'up';
      const isSlow = provider.isSlow(now);
      provider.runDueChecks(now, !usable || isSlow || ready.length > 0);
      if (usable) (isSlow ? slow : ready).push(provider);
    }
    return slow.length > 0 ? [...ready, ...slow] : ready;
  }

  /** Waits before the next round; false when there is nobody to wait for. */
  private async pause(
    round: number,
    late: ReadonlySet<RpcNodeClient>,
    signal: AbortSignal,
  ): Promise<boolean> {
    const now = performance.now();
    let wait = Infinity;
    for (const provider of this.providers) {
      const state = provider.getState(now);
      if (late.has(provider)) continue;
      if (state === 'up') wait = 0;
      if (state === 'rate_limited') wait = Math.min(wait, provider.cooldownUntil - now);
    }
    if (wait > MAX_COOLDOWN_WAIT_MS || signal.aborted) return false;
    const backOff = RETRY_DELAY_MS * 2 ** (round - 1) * (0.5 + Math.random() / 2);
    // It rejects only when the signal ends it.
    return sleep(wait + backOff, true, { signal }).catch(() => false);
  }

  private silence(signal: AbortSignal): string {
    if (this.providers.length === 0) return `no RPC URL is configured for ${this.chainName}`;
    if (signal.aborted) return 'the time for asking was up';
    const now = performance.now();
    const states = new Set(this.providers.map((provider) => REASON_BY_STATE[provider.getState(now)]));
    return `no node of ${this.chainName} can be asked: ${[...states].join(', ')}`;
  }
}

const REASON_BY_STATE = {
  up: 'gave no answer',
  breaker_open: 'failed too often',
  wrong_chain: 'serves another chain',
  stuck: 'has no new blocks',
  lagging: 'is behind its chain',
  rate_limited: 'limits our rate',
} as const;
