import { createLocalJWKSet, jwtVerify } from 'jose';
import { boundEntries } from '@app/common';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { InternalKeys } from './principal.config.js';
import {
  principal,
  type Principal,
  GATEWAY_ISSUER,
  PAGES_ISSUER,
  PRINCIPAL_TOKEN_TYPE,
} from './principal.js';

const principalTokenClaims = z.object({
  iss: z.string(),
  exp: z.number(),
  principal,
  operation: z.string().optional(),
});

/** The verified content of a principal token. */
export interface VerifiedPrincipal {
  principal: Principal;
  /** The only operation that the token is valid for. */
  operation: string | undefined;
  expiresAtMs: number;
}

/** Verifies principal tokens whose audience is this app. */
export class PrincipalVerifier {
  private readonly keys: ReturnType<typeof createLocalJWKSet>;
  private readonly verified = new LRUCache<string, VerifiedPrincipal>(boundEntries(20_000));

  constructor(
    keys: InternalKeys,
    private readonly audience: string,
  ) {
    this.keys = createLocalJWKSet(keys);
  }

  /** The content of a token that was verified before and has not expired. */
  getCached(token: string): VerifiedPrincipal | undefined {
    const cached = this.verified.get(token);
    return cached && cached.expiresAtMs > Date.now() ? cached : undefined;
  }

  /** Undefined for an invalid token. */
  async verify(token: string): Promise<VerifiedPrincipal | undefined> {
    try {
      const { payload, protectedHeader } = await jwtVerify(token, this.keys, {
        algorithms: ['EdDSA'],
        typ: PRINCIPAL_TOKEN_TYPE,
        audience: this.audience,
        requiredClaims: ['exp', 'iat', 'iss', 'aud'],
      });
      const { iss, exp, principal, operation } = principalTokenClaims.parse(payload);
      if (iss !== protectedHeader.kid || !canIssue(iss, principal, operation)) return undefined;
      const verified = { principal, operation, expiresAtMs: exp * 1000 };
      this.verified.set(token, verified);
      return verified;
    } catch {
      return undefined;
    }
  }
}

/**
 * Apps may issue tokens for themselves, and the gateway for all callers. Identity, whose access tokens are what the gateway believes anyway, may issue
 * tokens for users without a client application, each for one operation (docs/adr/0114-pages-call-public-operations.md).
 */
function canIssue(issuer: string, claimed: Principal, operation: string | undefined): boolean {
  if (claimed.kind === 'service') return claimed.name === issuer;
  if (issuer === GATEWAY_ISSUER) return true;
  const isUserAlone = claimed.kind === 'caller' && claimed.user !== undefined && claimed.client === undefined;
  return issuer === PAGES_ISSUER && isUserAlone && operation !== undefined;
}
