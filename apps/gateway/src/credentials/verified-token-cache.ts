import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Scope } from '@app/dto';
import { boundEntries } from '@app/common';
import { LRUCache } from 'lru-cache';
import { credentialsUnavailable } from './credentials.errors.js';
import { RevocationFeedSubscriber } from './revocation-feed-subscriber.js';
import { RevokedTokenStore } from './revoked-token-store.js';
import { SingleFlight } from './single-flight.js';
import { TokenKeyCache } from './token-key-cache.js';

/** A verified token of any scheme. */
export interface VerifiedToken {
  /** `jti` or nonce, which revocations refer to. */
  readonly id: string;
  /** The client application that it was issued to. */
  readonly clientId: string;
  /** Absent for a client application's own token (client credentials grant). */
  readonly user?: {
    readonly id: string;
    readonly account?: string;
    readonly authTime?: number;
    readonly amr?: string[];
    readonly tokenIssuedAt?: number;
  };
  readonly scopes: readonly Scope[];
  /** Afterwards the token is expired or must be verified again. */
  readonly expiresAtMs: number;
  /** Ethereum credentials only: when the credential itself expires. */
  readonly credentialExpiresAtMs?: number;
}

const MAX_TOKENS = 50_000;

const hashAuthorization = (authorization: string): string =>
  hash('sha256', normalizeCase(authorization), 'base64');

/** Lower case for the scheme and the hex digits of a signature: otherwise each spelling of a token would be an entry. */
function normalizeCase(authorization: string): string {
  const schemeEnd = authorization.indexOf(' ');
  const scheme = authorization.slice(0, schemeEnd).toLowerCase();
  const credential = authorization.slice(schemeEnd);
  if (scheme !== 'ethereum') return scheme + credential;
  const signatureStart = credential.lastIndexOf('.');
  return scheme + credential.slice(0, signatureStart) + credential.slice(signatureStart).toLowerCase();
}

/**
 * Caches verified tokens by the digest of their header, so that it holds no usable tokens. Every use checks again whether
 * the token was revoked.
 */
@Injectable()
export class VerifiedTokenCache {
  private readonly verified = new LRUCache<string, VerifiedToken>(boundEntries(MAX_TOKENS));
  private readonly verifications = new SingleFlight<VerifiedToken | undefined>();
  /** How often keys were removed or revocations left out. */
  private invalidations = 0;

  constructor(
    private readonly feed: RevocationFeedSubscriber,
    private readonly revoked: RevokedTokenStore,
    private readonly keys: TokenKeyCache,
  ) {
    keys.onKeyRemoved(() => {
      this.invalidations += 1;
      this.verified.clear();
    });
    revoked.onOmission((isOmitted) => {
      this.invalidations += 1;
      for (const [digest, token] of this.verified.entries())
        if (isOmitted(token)) this.verified.delete(digest);
    });
  }

  /** The token of a header that was verified before and is still valid. */
  get(authorization: string): VerifiedToken | undefined {
    const token = this.verified.get(hashAuthorization(authorization));
    return token && this.isUsable && this.isValid(token) ? token : undefined;
  }

  /** Whether a concurrent request is already verifying this header. */
  isVerifying(authorization: string): boolean {
    return this.verifications.isPending(hashAuthorization(authorization));
  }

  /**
   * Verifies a header, once for concurrent requests; undefined for an invalid token.
   * @throws AppError 503 when the revocations or keys are too old to be trusted, or identity has to be asked and is unavailable
   */
  async verifyOnce(
    authorization: string,
    verify: () => Promise<VerifiedToken | undefined>,
  ): Promise<VerifiedToken | undefined> {
    if (!this.isUsable) throw credentialsUnavailable();
    const digest = hashAuthorization(authorization);
    const { invalidations } = this;
    const token = await this.verifications.run(digest, async () => {
      const verified = await verify();
      return verified && !(await this.revoked.isRevokedAnywhere(verified)) ? verified : undefined;
    });
    if (!token || !this.isValid(token)) return undefined;
    // A key of the token may have been removed meanwhile, or the token revoked: it serves this request, but is not cached.
    if (invalidations === this.invalidations) this.verified.set(digest, token);
    return token;
  }

  private get isUsable(): boolean {
    return this.feed.isTrusted && this.keys.isTrusted;
  }

  private isValid(token: VerifiedToken): boolean {
    return token.expiresAtMs > Date.now() && !this.revoked.isRevoked(token);
  }
}
