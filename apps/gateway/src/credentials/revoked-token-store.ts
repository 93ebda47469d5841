import { Injectable } from '@nestjs/common';
import { toAllCredentialsId, type RevokedToken } from '@app/dto';
import { RevocationFeedSubscriber } from './revocation-feed-subscriber.js';

const SWEEP_INTERVAL_MS = 60_000;

/** The properties of a token that revocations refer to. */
export interface RevocableToken {
  /** `jti` or nonce. */
  readonly id: string;
  readonly clientId: string;
  readonly user?: { readonly id: string };
  /** Ethereum credentials only. */
  readonly credentialExpiresAtMs?: number;
}

/** Revoked tokens and Ethereum credentials, until they expire. */
@Injectable()
export class RevokedTokenStore {
  private readonly expiresAtMsById = new Map<string, number>();
  private sweepAtMs = 0;

  constructor(feed: RevocationFeedSubscriber) {
    feed.onChanges(({ revoked }, all = []) => {
      this.add(all);
      this.add(revoked);
      if (Date.now() >= this.sweepAtMs) this.sweep();
    });
  }

  /** Whether a token was revoked, by itself or with all Ethereum credentials of its user for the client application. */
  isRevoked({ id, clientId, user, credentialExpiresAtMs }: RevocableToken): boolean {
    if (this.expiresAtMsById.has(id)) return true;
    if (credentialExpiresAtMs === undefined || !user) return false;
    const revokedUntilMs = this.expiresAtMsById.get(toAllCredentialsId(user.id, clientId));
    return revokedUntilMs !== undefined && credentialExpiresAtMs <= revokedUntilMs;
  }

  private add(tokens: readonly RevokedToken[]): void {
    for (const { id, expiresAtMs } of tokens)
      this.expiresAtMsById.set(id, Math.max(expiresAtMs, this.expiresAtMsById.get(id) ?? 0));
  }

  private sweep(): void {
    const now = Date.now();
    this.sweepAtMs = now + SWEEP_INTERVAL_MS;
    for (const [id, expiresAtMs] of this.expiresAtMsById)
      if (expiresAtMs <= now) this.expiresAtMsById.delete(id);
  }
}
