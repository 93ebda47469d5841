import type { AdapterPayload } from 'oidc-provider';
import type { Revocations } from '../../revocations/revocations.js';
import type { AccessTokens } from '../provider/access-tokens.js';
import { undisguised } from '../requests/token-question.js';
import type { Grants } from './grants.js';

/**
 * Access tokens of client applications in their own name. They belong to no grant, so there is nothing to remember but that
 * one was revoked: everything else stands in the token.
 */
export class ApplicationTokenAdapter {
  constructor(
    private readonly revocations: Revocations,
    private readonly grants: Grants,
    private readonly tokens: AccessTokens,
    /** Lifetime of the tokens in seconds: a revocation is kept for as long. */
    private readonly lifetimeSeconds: number,
  ) {}

  upsert(): Promise<void> {
    return Promise.resolve();
  }

  async find(token: string): Promise<AdapterPayload | undefined> {
    const facts = await this.tokens.read(undisguised(token));
    if (facts?.sub !== `client:${facts?.clientId ?? ''}`) return undefined;
    if (await this.revocations.has(facts.jti)) return undefined;
    const { jti, clientId, scope, iat, exp } = facts;
    return { kind: 'ClientCredentials', jti, clientId, scope, iat, exp };
  }

  async destroy(id: string): Promise<void> {
    await this.grants.bornDead({ id, expiresAt: new Date(Date.now() + this.lifetimeSeconds * 1_000) });
  }
}
