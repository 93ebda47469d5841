import { Cluster, Command, type Redis } from 'ioredis';

const COOLDOWN_MS = 250;
const SINGLE_SERVER = '';

/** Pauses commands to a Redis node that failed a moment ago, so that no queue builds up in front of it. */
export class Cooldowns {
  private readonly untilMs = new Map<string, number>();

  constructor(private readonly redis: Redis | Cluster) {}

  /** Starts the cooldown of the node that holds this key. */
  start(key: string): void {
    this.untilMs.set(this.nodeOf(key), performance.now() + COOLDOWN_MS);
  }

  isActive(key: string): boolean {
    if (this.untilMs.size === 0) return false;
    const node = this.nodeOf(key);
    const untilMs = this.untilMs.get(node);
    if (untilMs === undefined) return false;
    if (performance.now() < untilMs) return true;
    this.untilMs.delete(node);
    return false;
  }

  private nodeOf(key: string): string {
    if (!(this.redis instanceof Cluster)) return SINGLE_SERVER;
    const [master = SINGLE_SERVER] = this.redis.slots[new Command('exists', [key]).getSlot()] ?? [];
    return master;
  }
}
