import { SignJWT, importJWK } from 'jose';
import { LRUCache } from 'lru-cache';
import type { InternalSigningKey } from './principal.config.js';
import type { Principal } from './principal.js';
import {
  PRINCIPAL_TOKEN_CACHE_TTL_MS,
  PRINCIPAL_TOKEN_LIFETIME_SECONDS,
  PRINCIPAL_TOKEN_TYPE,
} from './principal-token.js';

/** Signs principal tokens: compact JWS, EdDSA, for one audience (design.md section 2). */
export class PrincipalIssuer {
  private readonly signingKey: ReturnType<typeof importJWK>;
  private readonly issued = new LRUCache<string, Promise<string>>({
    max: 20_000,
    ttl: PRINCIPAL_TOKEN_CACHE_TTL_MS,
  });

  constructor(private readonly key: InternalSigningKey) {
    this.signingKey = importJWK(key, 'EdDSA');
  }

  /**
   * The same principal gets the same token for half a minute, so that neither side does the arithmetic per request.
   * @param operation the operation id that the token is good for; none for one app's questions to another
   */
  issueToken(principal: Principal, audience: string, operation?: string): Promise<string> {
    const cacheKey = `${audience} ${operation ?? ''} ${JSON.stringify(principal)}`;
    const known = this.issued.get(cacheKey);
    if (known) return known;
    const fresh = this.sign(principal, audience, operation);
    this.issued.set(cacheKey, fresh);
    fresh.catch(() => this.issued.delete(cacheKey));
    return fresh;
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
