import { SignJWT, importJWK } from 'jose';
import { boundEntries } from '@app/common';
import { LRUCache } from 'lru-cache';
import type { InternalSigningKey } from './principal.config.js';
import {
  type Principal,
  PRINCIPAL_TOKEN_CACHE_TTL_MS,
  PRINCIPAL_TOKEN_LIFETIME_SECONDS,
  PRINCIPAL_TOKEN_TYPE,
} from './principal.js';

/** Signs principal tokens: compact JWS, EdDSA, for one audience (docs/adr/0003-principal-tokens-and-header-allow-list.md). */
export class PrincipalIssuer {
  private readonly signingKey: ReturnType<typeof importJWK>;
  private readonly texts = new WeakMap<Principal, string>();
  private readonly issued = new LRUCache<string, Promise<string>>({
    ...boundEntries(20_000),
    ttl: PRINCIPAL_TOKEN_CACHE_TTL_MS,
    // Tokens expire by the calendar: after a step of the clock a cached one may have expired.
    perf: Date,
  });

  constructor(private readonly key: InternalSigningKey) {
    this.signingKey = importJWK(key, 'EdDSA');
  }

  /**
   * Returns a cached token for 30 s, to avoid a signature and a verification per request.
   * @param operation the operation id that the token is valid for; absent for internal calls
   */
  issueToken(principal: Principal, audience: string, operation?: string): Promise<string> {
    const cacheKey = `${audience} ${operation ?? ''} ${this.toText(principal)}`;
    const cached = this.issued.get(cacheKey);
    if (cached) return cached;
    const token = this.sign(principal, audience, operation);
    this.issued.set(cacheKey, token);
    token.catch(() => this.issued.delete(cacheKey));
    return token;
  }

  /** Callers are cached, so that their principals come back as the same objects. */
  private toText(principal: Principal): string {
    let text = this.texts.get(principal);
    if (text === undefined) this.texts.set(principal, (text = JSON.stringify(principal)));
    return text;
  }

  private async sign(principal: Principal, audience: string, operation?: string): Promise<string> {
    return new SignJWT({ principal, operation })
      .setProtectedHeader({ alg: 'EdDSA', typ: PRINCIPAL_TOKEN_TYPE, kid: this.key.kid })
      .setIssuer(this.key.kid)
      .setAudience(audience)
      .setIssuedAt()
      .setExpirationTime(`${PRINCIPAL_TOKEN_LIFETIME_SECONDS}s`)
      .sign(await this.signingKey);
  }
}
