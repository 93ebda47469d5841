import { createLocalJWKSet, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { InternalKeys } from './principal.config.js';
import { principal, type Principal } from './principal.js';
import { GATEWAY_ISSUER, PRINCIPAL_TOKEN_TYPE } from './principal-token.js';

const principalTokenClaims = z.object({
  iss: z.string(),
  exp: z.number(),
  principal,
  operation: z.string().optional(),
});

/** What a token proves. */
export interface VerifiedPrincipal {
  principal: Principal;
  /** The one operation that it is good for. */
  operation: string | undefined;
  expiresAtMs: number;
}

/** Verifies principal tokens that are meant for one app. Undefined means: believe nothing of it. */
export class PrincipalVerifier {
  private readonly keys: ReturnType<typeof createLocalJWKSet>;
  private readonly verified = new LRUCache<string, VerifiedPrincipal>({ max: 20_000 });

  constructor(
    keys: InternalKeys,
    private readonly audience: string,
  ) {
    this.keys = createLocalJWKSet(keys);
  }

  /** What a token proves that was verified before and has not expired. */
  getCached(token: string): VerifiedPrincipal | undefined {
    const hit = this.verified.get(token);
    return hit && hit.expiresAtMs > Date.now() ? hit : undefined;
  }

  async verify(token: string): Promise<VerifiedPrincipal | undefined> {
    try {
      const { payload, protectedHeader } = await jwtVerify(token, this.keys, {
        algorithms: ['EdDSA'],
        typ: PRINCIPAL_TOKEN_TYPE,
        audience: this.audience,
        requiredClaims: ['exp', 'iat', 'iss', 'aud'],
      });
      const { iss, exp, principal, operation } = principalTokenClaims.parse(payload);
      if (iss !== protectedHeader.kid || !canClaim(iss, principal)) return undefined;
      const verified = { principal, operation, expiresAtMs: exp * 1000 };
      this.verified.set(token, verified);
      return verified;
    } catch {
      // Whatever is wrong with it, the answer is the same: it proves nothing.
      return undefined;
    }
  }
}

/** Only the gateway speaks for callers; every other app speaks for itself alone. The key's name is the issuer. */
function canClaim(issuer: string, claimed: Principal): boolean {
  if (claimed.kind === 'service') return claimed.name === issuer;
  return issuer === GATEWAY_ISSUER;
}
