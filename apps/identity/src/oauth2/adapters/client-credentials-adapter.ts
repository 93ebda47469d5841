import type { AdapterPayload } from 'oidc-provider';
import type { RevocationsService } from '../../tokens/revocations/revocations.service.js';
import type { AccessTokenService } from '../tokens/access-token.service.js';
import { unescapeJwtDots } from '../tokens/escape-jwt-dots.js';
import type { GrantService } from '../storage/grant.service.js';

/**
 * Access tokens of client applications in their own name. They belong to no grant, so there is nothing to remember but that
 * one was revoked: everything else stands in the token.
 */
export class ClientCredentialsAdapter {
  constructor(
    private readonly revocations: RevocationsService,
    private readonly grants: GrantService,
    private readonly tokens: AccessTokenService,
    /** Lifetime of the tokens in seconds: a revocation is kept for as long. */
    private readonly lifetimeSeconds: number,
  ) {}

  upsert(): Promise<void> {
    return Promise.resolve();
  }

  async find(token: string): Promise<AdapterPayload | undefined> {
    const facts = await this.tokens.verify(unescapeJwtDots(token));
    if (facts?.sub !== `client:${facts?.clientId ?? ''}`) return undefined;
    if (await this.revocations.isRevoked(facts.jti)) return undefined;
    const { jti, clientId, scope, iat, exp } = facts;
    return { kind: 'ClientCredentials', jti, clientId, scope, iat, exp };
  }

  async destroy(id: string): Promise<void> {
    await this.grants.revokeUnstored({ id, expiresAt: new Date(Date.now() + this.lifetimeSeconds * 1_000) });
  }
}
