import { Injectable } from '@nestjs/common';
import { toAllCredentialsId, type RevokedToken } from '@app/dto';
import { RevocationFeedSubscriber } from './revocation-feed-subscriber.js';

const SWEEP_INTERVAL_MS = 60_000;

/** What of a token says whether it was revoked. */
export interface RevocableToken {
  /** `jti` or nonce. */
  readonly id: string;
  readonly clientId: string;
  readonly user?: { readonly id: string };
  /** Of an Ethereum credential: when it ends by itself. */
  readonly credentialEndsAtMs?: number;
}

/** Tokens and Ethereum credentials that were revoked, until they have expired anyway. */
@Injectable()
export class RevokedTokenStore {
  private readonly endsAtMs = new Map<string, number>();
  private sweepAtMs = 0;

  constructor(feed: RevocationFeedSubscriber) {
    feed.onChanges(({ revoked }, all = []) => {
      this.learn(all);
      this.learn(revoked);
      if (Date.now() >= this.sweepAtMs) this.sweep();
    });
  }

  /** Whether it was revoked by itself, or with all credentials that its user had signed for the client application. */
  isRevoked({ id, clientId, user, credentialEndsAtMs }: RevocableToken): boolean {
    if (this.endsAtMs.has(id)) return true;
    if (credentialEndsAtMs === undefined || !user) return false;
    const until = this.endsAtMs.get(toAllCredentialsId(user.id, clientId));
    return until !== undefined && credentialEndsAtMs <= until;
  }

  private learn(tokens: readonly RevokedToken[]): void {
    for (const { id, expiresAtMs } of tokens)
      this.endsAtMs.set(id, Math.max(expiresAtMs, this.endsAtMs.get(id) ?? 0));
  }

  private sweep(): void {
    const now = Date.now();
    this.sweepAtMs = now + SWEEP_INTERVAL_MS;
    for (const [id, at] of this.endsAtMs) if (at <= now) this.endsAtMs.delete(id);
  }
}
