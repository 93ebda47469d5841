import { Injectable } from '@nestjs/common';
import type { RevokedTokens as RevokedList } from '@app/dto';
import { RevocationFeed } from './revocation-feed.js';

/** The feed names tokens without saying when they end. The longest-lived, Ethereum credentials, last a day. */
const LONGEST_LIFE_MS = 25 * 3_600_000;
const SWEEP_EVERY_MS = 60_000;

/** Tokens and Ethereum credentials that were revoked, by `jti` or nonce, until they have expired anyway. */
@Injectable()
export class RevokedTokens {
  private readonly forgetAtMs = new Map<string, number>();
  private sweepAtMs = 0;

  constructor(feed: RevocationFeed) {
    feed.onChanges(({ tokenIds }, revoked) => {
      this.learn(tokenIds, revoked);
    });
  }

  has(id: string): boolean {
    return this.forgetAtMs.has(id);
  }

  private learn(tokenIds: readonly string[], revoked: RevokedList | undefined): void {
    const now = Date.now();
    for (const { id, expiresAt } of revoked?.tokens ?? []) this.forgetAtMs.set(id, expiresAt * 1_000);
    for (const id of tokenIds) if (!this.forgetAtMs.has(id)) this.forgetAtMs.set(id, now + LONGEST_LIFE_MS);
    if (now >= this.sweepAtMs) this.sweep(now);
  }

  private sweep(now: number): void {
    this.sweepAtMs = now + SWEEP_EVERY_MS;
    for (const [id, at] of this.forgetAtMs) if (at <= now) this.forgetAtMs.delete(id);
  }
}
