import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Scope } from '@app/dto';
import { LRUCache } from 'lru-cache';
import { RevocationFeedSubscriber } from './revocation-feed-subscriber.js';
import { RevokedTokenStore } from './revoked-token-store.js';
import { TokenKeyCache } from './token-key-cache.js';
import { credentialsUnavailable } from './credentials.errors.js';

/** What a token proves, whichever scheme it is of. */
export interface VerifiedToken {
  /** `jti` or nonce: by this it is revoked. */
  readonly id: string;
  /** The client application that it was issued to. */
  readonly clientId: string;
  /** Absent where a client application speaks for itself. */
  readonly user?: { readonly id: string; readonly account?: string; readonly authTime?: number };
  readonly scopes: readonly Scope[];
  /** From then on it proves nothing, or has to be checked again. */
  readonly expiresAtMs: number;
  /** Of an Ethereum credential: when it ends by itself. */
  readonly credentialEndsAtMs?: number;
}

const MAX_TOKENS = 50_000;

const hashAuthorization = (authorization: string): string => hash('sha256', authorization, 'base64');

/**
 * Tokens that were found good, by the digest of the header they came in: the tokens themselves are not kept. Every use of
 * one asks again whether it was revoked.
 */
@Injectable()
export class VerifiedTokenCache {
  private readonly good = new LRUCache<string, VerifiedToken>({ max: MAX_TOKENS });
  private readonly checking = new Map<string, Promise<VerifiedToken | undefined>>();
  private removals = 0;

  constructor(
    private readonly feed: RevocationFeedSubscriber,
    private readonly revoked: RevokedTokenStore,
    private readonly keys: TokenKeyCache,
  ) {
    keys.onKeyRemoved(() => {
      this.removals += 1;
      this.good.clear();
    });
  }

  /** What is known of a header that was checked before, and still counts. */
  get(authorization: string): VerifiedToken | undefined {
    const token = this.good.get(hashAuthorization(authorization));
    return token && this.canTell && this.isAlive(token) ? token : undefined;
  }

  /** Whether checking this costs nothing, because somebody is already at it. */
  isVerifying(authorization: string): boolean {
    return this.checking.has(hashAuthorization(authorization));
  }

  /**
   * Has a header checked, once for all who come with it meanwhile.
   * @throws AppError 503 when it cannot be known what was revoked
   */
  async verifyOnce(
    authorization: string,
    verify: () => Promise<VerifiedToken | undefined>,
  ): Promise<VerifiedToken | undefined> {
    if (!this.canTell) throw credentialsUnavailable();
    const digest = hashAuthorization(authorization);
    const { removals } = this;
    let answer = this.checking.get(digest);
    if (!answer) {
      answer = verify().finally(() => this.checking.delete(digest));
      this.checking.set(digest, answer);
    }
    const token = await answer;
    if (!token || !this.isAlive(token)) return undefined;
    // Checked with a key that is gone meanwhile: true enough for this request, too old to keep.
    if (removals === this.removals) this.good.set(digest, token);
    return token;
  }

  private get canTell(): boolean {
    return this.feed.isTrusted && this.keys.isTrusted;
  }

  private isAlive(token: VerifiedToken): boolean {
    return token.expiresAtMs > Date.now() && !this.revoked.isRevoked(token);
  }
}
