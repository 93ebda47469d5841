import { FairQueue } from '@app/limits';
import { SolanaNodeError } from './solana-node.errors.js';

/** Requests to a node at the same time with what client applications have chosen. */
export const MAX_CLIENT_POSTS = 48;
/** Requests of one client application among them. */
const MAX_POSTS_PER_CLIENT = 8;
/** Requests of one client application that wait. */
const MAX_WAITING_PER_CLIENT = 64;

/** The requests of client applications to one node: a bulkhead for each, so that one whose transactions a node takes long for holds up only its own. */
export class ClientPosts {
  private readonly running = new Map<string, number>();
  private total = 0;
  private readonly waiting = new FairQueue<() => void>();

  /** @throws SolanaNodeError when too many requests of the client application wait */
  async run<T>(clientId: string, post: () => Promise<T>): Promise<T> {
    if (this.mayBegin(clientId)) this.begin(clientId);
    else {
      if (this.waiting.countOf(clientId) >= MAX_WAITING_PER_CLIENT)
        throw new SolanaNodeError('too many requests of the client application wait for the node', {
          isOfTransaction: true,
        });
      await new Promise<void>((resolve) => {
        this.waiting.add(clientId, () => {
          this.begin(clientId);
          resolve();
        });
      });
    }
    try {
      return await post();
    } finally {
      this.end(clientId);
    }
  }

  private mayBegin(clientId: string): boolean {
    return this.total < MAX_CLIENT_POSTS && (this.running.get(clientId) ?? 0) < MAX_POSTS_PER_CLIENT;
  }

  private begin(clientId: string): void {
    this.total += 1;
    this.running.set(clientId, (this.running.get(clientId) ?? 0) + 1);
  }

  private end(clientId: string): void {
    this.total -= 1;
    const left = (this.running.get(clientId) ?? 0) - 1;
    if (left > 0) this.running.set(clientId, left);
    else this.running.delete(clientId);
    this.waiting.take((waiting) => this.mayBegin(waiting))?.();
  }
}
