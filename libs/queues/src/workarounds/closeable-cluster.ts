import { Cluster, type ClusterNode, type ClusterOptions } from 'ioredis';

const RECONNECT_DELAY_MS = 250;
const READY_TIMEOUT_MS = 1_000;
/** 'close' it says of itself, too, when a node of an earlier attempt is gone at last. */
const RECONNECTING_STATUSES: readonly string[] = ['reconnecting', 'close'];

/**
 * ioredis' cluster client that ends when it is told to, and only then, and says what became of an attempt to connect.
 * The original, told to end between two attempts, never says that it has. Told to disconnect and to connect again, as
 * BullMQ does when a cluster seems lost, it takes a first attempt that fails for the end. And an attempt that reaches
 * nodes of a cluster that is down it leaves without an outcome, for which BullMQ's worker would wait for ever, as it would
 * for a node that is asked whether the cluster is up and says nothing.
 */
export class CloseableCluster extends Cluster {
  private isWanted = true;
  private patience: NodeJS.Timeout | undefined;

  constructor(nodes: ClusterNode[], options: ClusterOptions) {
    super(nodes, options);
    this.on('connect', () => {
      clearTimeout(this.patience);
      this.patience = setTimeout(() => {
        if (this.status === 'connect') this.disconnect(true);
      }, READY_TIMEOUT_MS);
    });
    this.on('end', () => {
      if (this.isWanted)
        setTimeout(() => {
          this.connectAgain();
        }, RECONNECT_DELAY_MS);
    });
  }

  /** Ended, and nobody wants it to connect again. */
  get hasEnded(): boolean {
    return this.status === 'end' && !this.isWanted;
  }

  override async connect(): Promise<void> {
    this.isWanted = true;
    let fail: () => void = () => undefined;
    const closed = new Promise<never>((_, reject) => {
      fail = () => {
        reject(new Error('The cluster cannot be used'));
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
    this.isWanted = false;
    return super.quit();
  }

  override disconnect(reconnect = false): void {
    const isBetweenAttempts = RECONNECTING_STATUSES.includes(this.status);
    if (!reconnect) this.isWanted = false;
    super.disconnect(reconnect);
    if (isBetweenAttempts && !reconnect)
      setImmediate(() => {
        this.comeToAnEnd();
      });
  }

  private connectAgain(): void {
    if (this.isWanted && this.status === 'end') super.connect().catch(() => undefined); // it ends, and so on
  }

  /** One more attempt, now that it counts as closing: failed or not, it comes to an end. */
  private comeToAnEnd(): void {
    if (this.isWanted || this.status !== 'disconnecting') return;
    super.connect().then(
      () => {
        super.disconnect();
      },
      () => undefined,
    );
  }
}
