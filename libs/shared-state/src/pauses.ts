import { Cluster, Command, type Redis } from 'ioredis';

const PAUSE_MS = 250;
const ONE_SERVER = '';

/** Who failed a moment ago is left alone for a while, so that nothing queues up in front of it: in a cluster, one node. */
export class Pauses {
  private readonly untilMs = new Map<string, number>();

  constructor(private readonly redis: Redis | Cluster) {}

  /** The server with this key has failed. */
  begin(key: string): void {
    this.untilMs.set(this.serverOf(key), performance.now() + PAUSE_MS);
  }

  /** Whether the server with this key has failed just now. */
  isOn(key: string): boolean {
    if (this.untilMs.size === 0) return false;
    const server = this.serverOf(key);
    const untilMs = this.untilMs.get(server);
    if (untilMs === undefined) return false;
    if (performance.now() < untilMs) return true;
    this.untilMs.delete(server);
    return false;
  }

  private serverOf(key: string): string {
    if (!(this.redis instanceof Cluster)) return ONE_SERVER;
    const [master = ONE_SERVER] = this.redis.slots[new Command('exists', [key]).getSlot()] ?? [];
    return master;
  }
}
