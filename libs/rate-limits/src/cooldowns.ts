import { Cluster, Command, type Redis } from 'ioredis';

const COOLDOWN_MS = 250;
const SINGLE_SERVER = '';

/** Who failed a moment ago is left alone for a while, so that nothing queues up in front of it: in a cluster, one node. */
export class Cooldowns {
  private readonly untilMs = new Map<string, number>();

  constructor(private readonly redis: Redis | Cluster) {}

  /** The server with this key has failed. */
  start(key: string): void {
    this.untilMs.set(this.serverOf(key), performance.now() + COOLDOWN_MS);
  }

  /** Whether the server with this key has failed just now. */
  isActive(key: string): boolean {
    if (this.untilMs.size === 0) return false;
    const server = this.serverOf(key);
    const untilMs = this.untilMs.get(server);
    if (untilMs === undefined) return false;
    if (performance.now() < untilMs) return true;
    this.untilMs.delete(server);
    return false;
  }

  private serverOf(key: string): string {
    if (!(this.redis instanceof Cluster)) return SINGLE_SERVER;
    const [master = SINGLE_SERVER] = this.redis.slots[new Command('exists', [key]).getSlot()] ?? [];
    return master;
  }
}
