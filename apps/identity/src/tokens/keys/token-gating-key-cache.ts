import type { TokenGatingKeySet } from '@app/dto';
import type { Logger } from '@app/service';
import type { TokenGatingClient } from '../../clients/token-gating-client.js';

const REFRESH_INTERVAL_MS = 30_000;
/** While token-gating is unavailable, at most one request per delay waits for it. */
const RETRY_DELAY_MS = 2_000;

/** Caches token-gating's public keys, and keeps the last ones while it is unavailable. */
export class TokenGatingKeyCache {
  private keys: TokenGatingKeySet | undefined;
  private nextRefreshAt = 0;
  private refreshing: Promise<void> | undefined;

  constructor(
    private readonly tokenGating: TokenGatingClient,
    private readonly logger: Logger,
    private readonly clock: () => number = Date.now,
  ) {}

  /** Undefined until token-gating has answered once. */
  async getKeys(): Promise<TokenGatingKeySet | undefined> {
    if (this.clock() >= this.nextRefreshAt)
      await (this.refreshing ??= this.refresh().finally(() => {
        this.refreshing = undefined;
      }));
    return this.keys;
  }

  private async refresh(): Promise<void> {
    try {
      this.keys = await this.tokenGating.loadPublicKeys();
      this.nextRefreshAt = this.clock() + REFRESH_INTERVAL_MS;
    } catch (error) {
      this.nextRefreshAt = this.clock() + RETRY_DELAY_MS;
      const reason = error instanceof Error ? error.message : 'unknown';
      this.logger.warn({ reason }, 'public keys could not be loaded from token-gating');
    }
  }
}
