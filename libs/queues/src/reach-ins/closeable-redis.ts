import { Cluster, type ClusterNode, type ClusterOptions, Redis } from 'ioredis';
import { setTimeout as sleep } from 'node:timers/promises';
import { withTimeout } from '@app/common';

const RECONNECT_DELAY_MS = 250;
const READY_TIMEOUT_MS = 1_000;
/** The status is 'close', too, when a node of an earlier attempt has disconnected. */
const RECONNECTING_STATUSES: readonly string[] = ['reconnecting', 'close'];

/**
 * Works around ioredis 5.11.1 (https://github.com/redis/ioredis/blob/v5.11.1/lib/cluster/index.ts), whose Cluster
 * - never emits 'end' when it is disconnected between two connection attempts;
 * - ends after `disconnect(true)`, which BullMQ calls for a lost cluster, when the first attempt to reconnect fails;
 * - never settles `connect()` when the cluster is down or its node does not answer, which blocks BullMQ's worker.
 */
export class CloseableCluster extends Cluster {
  private shouldConnect = true;
  private readyTimer: NodeJS.Timeout | undefined;

  constructor(nodes: ClusterNode[], options: ClusterOptions) {
    super(nodes, options);
    this.on('connect', () => {
      clearTimeout(this.readyTimer);
      this.readyTimer = setTimeout(() => {
        if (this.status === 'connect') this.disconnect(true);
      }, READY_TIMEOUT_MS);
    });
    this.on('end', () => {
      if (this.shouldConnect)
        setTimeout(() => {
          this.reconnect();
        }, RECONNECT_DELAY_MS);
    });
  }

  /** Whether the connection was closed or quit, and has ended. */
  get hasEnded(): boolean {
    return this.status === 'end' && !this.shouldConnect;
  }

  override async connect(): Promise<void> {
    this.shouldConnect = true;
    let fail: () => void = () => undefined;
    const closed = new Promise<never>((_, reject) => {
      fail = () => {
        reject(new Error('The Redis Cluster is unavailable'));
      };
      this.once('close', fail);
    });
    try {
      await Promise.race([super.connect(), closed]);
    } finally {
      this.off('close', fail);
    }
  }

  override quit(): Promise<'OK'> {
    this.shouldConnect = false;
    return super.quit();
  }

  override disconnect(reconnect = false): void {
    const isBetweenAttempts = RECONNECTING_STATUSES.includes(this.status);
    if (!reconnect) this.shouldConnect = false;
    super.disconnect(reconnect);
    if (isBetweenAttempts && !reconnect)
      setImmediate(() => {
        this.forceEnd();
      });
  }

  private reconnect(): void {
    if (this.shouldConnect && this.status === 'end') super.connect().catch(() => undefined); // emits 'end' again
  }

  /** A further attempt to connect while disconnecting emits 'end', whether it fails or not. */
  private forceEnd(): void {
    if (this.shouldConnect || this.status !== 'disconnecting') return;
    super.connect().then(
      () => {
        super.disconnect();
      },
      () => undefined,
    );
  }
}

/**
 * Works around ioredis 5.11.1 (https://github.com/redis/ioredis/blob/v5.11.1/lib/Redis.ts), which never emits 'end' when it is disconnected between two connection attempts: closing a
 * worker while its Redis is unavailable would never return.
 */
export class CloseableRedis extends Redis {
  override disconnect(reconnect = false): void {
    const isBetweenAttempts = this.status === 'reconnecting';
    super.disconnect(reconnect);
    if (!isBetweenAttempts || reconnect) return;
    // A further attempt to connect while disconnecting emits 'end', whether it fails or not.
    this.connect().then(
      () => {
        super.disconnect();
      },
      () => undefined,
    );
  }
}

const RESPONSE_TIMEOUT_MS = 1_000;
const RETRY_DELAY_MS = 250;

/**
 * Works around BullMQ 6.7.0 (https://github.com/taskforcesh/bullmq/blob/v6.7.0/src/classes/redis-connection.ts), which sends INFO once per new connection to an arbitrary node of a cluster, and never uses the
 * connection if that node does not answer. Retries until a node answers.
 */
export async function fetchInfoWithRetry(cluster: CloseableCluster): Promise<string> {
  for (;;) {
    try {
      return String(await withTimeout(RESPONSE_TIMEOUT_MS, cluster.call('INFO')));
    } catch (error) {
      if (cluster.hasEnded) throw error;
      await sleep(RETRY_DELAY_MS);
    }
  }
}
