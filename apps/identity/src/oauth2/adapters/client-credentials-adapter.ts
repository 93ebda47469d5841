import type { AdapterPayload } from 'oidc-provider';
import type { RevocationsService } from '../../tokens/revocations/revocations.service.js';
import type { AccessTokenService } from '../tokens/access-token.service.js';
import { unescapeJwtDots } from '../tokens/escape-jwt-dots.js';
import type { GrantService } from '../storage/grant.service.js';

/**
 * Access tokens of the client credentials grant. They belong to no grant and are not stored: the token contains all claims,
 * and only its revocation is stored.
 */
export class ClientCredentialsAdapter {
  constructor(
    private readonly revocations: RevocationsService,
    private readonly grants: GrantService,
    private readonly tokens: AccessTokenService,
    /** Lifetime of the tokens in seconds. Revocations are stored for the same time. */
    private readonly lifetimeSeconds: number,
  ) {}

  upsert(): Promise<void> {
    return Promise.resolve();
  }

  async find(token: string): Promise<AdapterPayload | undefined> {
    const claims = await this.tokens.verify(unescapeJwtDots(token));
    if (claims?.sub !== `client:${claims?.clientId ?? ''}`) return undefined;
    if (await this.revocations.isRevoked(claims.jti)) return undefined;
    const { jti, clientId, scope, iat, exp } = claims;
    return { kind: 'ClientCredentials', jti, clientId, scope, iat, exp };
  }

  async destroy(id: string): Promise<void> {
    await this.grants.revokeUnstored({ id, expiresAt: new Date(Date.now() + this.lifetimeSeconds * 1_000) });
  }
}
