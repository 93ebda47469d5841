import type { CallbackKeySet } from '@app/dto';
import type { Logger } from '@app/service';
import type { TokenGatingClient } from '../../clients/token-gating-client.js';

const REFRESH_INTERVAL_MS = 30_000;
/** While token-gating is away only the first of many requests waits for it. */
const RETRY_DELAY_MS = 2_000;

/** A copy of token-gating's public keys. The last good one is kept while it does not answer. */
export class CallbackKeyCache {
  private copy: CallbackKeySet | undefined;
  private askAfter = 0;
  private asking: Promise<void> | undefined;

  constructor(
    private readonly tokenGating: TokenGatingClient,
    private readonly logger: Logger,
    private readonly clock: () => number = Date.now,
  ) {}

  /** Undefined when token-gating has never answered yet. */
  async getKeys(): Promise<CallbackKeySet | undefined> {
    if (this.clock() >= this.askAfter)
      await (this.asking ??= this.ask().finally(() => {
        this.asking = undefined;
      }));
    return this.copy;
  }

  private async ask(): Promise<void> {
    try {
      this.copy = await this.tokenGating.loadCallbackKeys();
      this.askAfter = this.clock() + REFRESH_INTERVAL_MS;
    } catch (error) {
      this.askAfter = this.clock() + RETRY_DELAY_MS;
      const reason = error instanceof Error ? error.message : 'unknown';
      this.logger.warn({ reason }, 'token-gating does not say its keys');
    }
  }
}
