import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { withTimeout } from '@app/common';
import { Cluster, type Redis } from 'ioredis';

/**
 * A Redis that evicts keys when it is full loses jobs without a word: such a one is not used.
 * @param info the answer to INFO memory
 */
export function checkEvictionPolicy(info: string): void {
  const policy = /^maxmemory_policy:(.*)$/m.exec(info)?.[1]?.trim();
  if (policy !== 'noeviction')
    throw new Error(
      `Redis would evict jobs: its maxmemory-policy is ${policy ?? 'not told'}, not noeviction`,
    );
}

const CONNECTING: readonly string[] = ['connecting', 'connect'];
/** Readiness is asked for within less time than a connection may be silent. */
const NODE_TIMEOUT_MS = 500;

/** Asks Redis whether jobs can be entrusted to it now. */
export class RedisProbe {
  private reason = 'no answer';

  /**
   * @param redis a connection of its own whose commands fail in time
   * @param prefix in front of the queues' keys
   * @param silenceMs how long an attempt to connect is waited for
   */
  constructor(
    private readonly redis: Redis | Cluster,
    private readonly prefix: string,
    private readonly silenceMs: number,
  ) {
    redis.on('error', (error: Error) => {
      this.reason = formatReason(error);
    });
  }

  /** Rejects with what is wrong. */
  async probe(): Promise<void> {
    if (!(await this.isConnected())) throw new Error(`Redis cannot be reached: ${this.reason}`);
    await Promise.all([this.checkPolicies(), this.redis.exists(`${this.prefix}:probe`)]);
  }

  close(): void {
    this.redis.disconnect();
  }

  private async checkPolicies(): Promise<void> {
    if (!(this.redis instanceof Cluster)) {
      checkEvictionPolicy(await this.redis.info('memory'));
      return;
    }
    // A node that is silent is missing to those whose keys it has: the queues have asked for theirs above.
    const masters = this.redis.nodes('master');
    const answers = await Promise.allSettled(
      masters.map((node) => withTimeout(NODE_TIMEOUT_MS, node.info('memory'))),
    );
    for (const answer of answers) if (answer.status === 'fulfilled') checkEvictionPolicy(answer.value);
  }

  /** An attempt to connect that is under way may still succeed. */
  private async isConnected(): Promise<boolean> {
    if (CONNECTING.includes(this.redis.status)) await this.outcomeOfAttempt();
    return this.redis.status === 'ready';
  }

  private async outcomeOfAttempt(): Promise<void> {
    const known = new AbortController();
    const { signal } = known;
    const on = (event: string) => once(this.redis, event, { signal });
    try {
      await Promise.race([on('ready'), on('close'), sleep(this.silenceMs, undefined, { signal })]);
    } finally {
      known.abort();
    }
  }
}

/** Without an address: each attempt may be at another node, and the reason is told when it changes. */
function formatReason(error: Error & { lastNodeError?: Error }): string {
  const { code, message }: NodeJS.ErrnoException = error.lastNodeError ?? error;
  return code ?? message;
}
