import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { MINUTE_MS, withTimeout } from '@app/common';
import { findRefusal, findRefusalCode, formatRedisFailure } from '@app/config';
import { Cluster, type Redis } from 'ioredis';
import { WriteRefusedError } from './queue-backend.js';

/**
 * A Redis that evicts keys when it is full would lose jobs silently.
 * @param info the reply to INFO memory
 */
function checkEvictionPolicy(info: string): void {
  const policy = /^maxmemory_policy:(.*)$/m.exec(info)?.[1]?.trim();
  if (policy !== 'noeviction')
    throw new Error(`Redis would evict jobs: its maxmemory-policy is ${policy ?? 'unknown'}, not noeviction`);
}

const CONNECTING: readonly string[] = ['connecting', 'connect'];
/** Shorter than the readiness timeout, which the probe has to keep. */
const NODE_TIMEOUT_MS = 500;
const PROBE_KEY_EXPIRY_MS = MINUTE_MS;

/** Checks that Redis is available, takes writes and keeps jobs. */
export class RedisProbe {
  /** Why the probe fails while its connection is not ready. A refused write ends the connection, and stays the reason. */
  private failure: Error = new Error('Redis is unavailable: no answer');

  /**
   * @param redis a connection of its own whose commands time out
   * @param prefix of the queues' keys
   */
  constructor(
    private readonly redis: Redis | Cluster,
    private readonly prefix: string,
    private readonly connectTimeoutMs: number,
  ) {
    redis.on('error', (error: Error) => {
      this.failure = new Error(`Redis is unavailable: ${formatRedisFailure(error)}`);
    });
  }

  async probe(): Promise<void> {
    if (!(await this.isConnected())) throw this.failure;
    await Promise.all([this.checkPolicies(), this.write()]);
  }

  close(): void {
    this.redis.disconnect();
  }

  /** Writes, because only a server that takes writes is of use for queues, and a read would not tell. */
  private async write(): Promise<void> {
    try {
      await this.redis.set(`${this.prefix}:probe`, '', 'PX', PROBE_KEY_EXPIRY_MS);
    } catch (error) {
      const code = findRefusalCode(error);
      if (code === undefined) throw error;
      const { reason, reconnects } = findRefusal(code);
      const message = `Redis refuses writes: ${reason} (${code})`;
      if (!reconnects) throw new Error(message, { cause: error });
      this.failure = new WriteRefusedError(message, { cause: error });
      throw this.failure;
    }
  }

  private async checkPolicies(): Promise<void> {
    if (!(this.redis instanceof Cluster)) {
      checkEvictionPolicy(await this.redis.info('memory'));
      return;
    }
    // Skips nodes that do not answer: EXISTS checks the node of the queues, and the others hold no queue.
    const masters = this.redis.nodes('master');
    const answers = await Promise.allSettled(
      masters.map((node) => withTimeout(NODE_TIMEOUT_MS, node.info('memory'))),
    );
    for (const answer of answers) if (answer.status === 'fulfilled') checkEvictionPolicy(answer.value);
  }

  /** Waits for a pending connect. */
  private async isConnected(): Promise<boolean> {
    if (CONNECTING.includes(this.redis.status)) await this.waitForConnect();
    return this.redis.status === 'ready';
  }

  private async waitForConnect(): Promise<void> {
    const done = new AbortController();
    const { signal } = done;
    const on = (event: string) => once(this.redis, event, { signal });
    try {
      await Promise.race([on('ready'), on('close'), sleep(this.connectTimeoutMs, undefined, { signal })]);
    } catch {
      // `once` rejects with the 'error' event, whose listener keeps the reason as `failure`.
    } finally {
      done.abort();
    }
  }
}
