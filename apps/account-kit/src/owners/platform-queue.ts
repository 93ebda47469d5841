import { FairQueue } from '@app/limits';
import { platformRequestLimitExceeded } from './platforms.errors.js';

/** Requests to one platform at once: as many as it gets connections. */
const MAX_CONCURRENT = 16;
/**
 * Waiting requests of one client application. If the platform does not answer, the last of them waits for 20 seconds.
 */
const MAX_WAITING_PER_CLIENT = 64;

/** Shares the connections to a platform among client applications, which take turns when all are in use. */
export class PlatformQueue {
  private running = 0;
  private readonly waiting = new FairQueue<() => void>();

  /** @throws AppError 429 when too many requests of the client application wait */
  async run<T>(clientId: string, request: () => Promise<T>): Promise<T> {
    await this.begin(clientId);
    try {
      return await request();
    } finally {
      this.end();
    }
  }

  private async begin(clientId: string): Promise<void> {
    if (this.running < MAX_CONCURRENT) {
      this.running += 1;
      return;
    }
    if (this.waiting.countOf(clientId) >= MAX_WAITING_PER_CLIENT) throw platformRequestLimitExceeded();
    await new Promise<void>((resolve) => {
      this.waiting.add(clientId, resolve);
    });
  }

  /** Hands the place to the next one, or frees it. */
  private end(): void {
    const next = this.waiting.take();
    if (next) next();
    else this.running -= 1;
  }
}
