import type { AdapterPayload } from 'oidc-provider';
import type { WalletToken, WalletTokenService } from '../../ethereum-login/id-tokens/wallet-token.service.js';
import type { AccessTokenService } from '../tokens/access-token.service.js';
import { unescapeJwtDots } from '../tokens/escape-jwt-dots.js';
import type { GrantService } from '../storage/grant.service.js';
import { ModelAdapter } from './model-adapter.js';
import type { OAuthModelQueries } from '../storage/oauth-model.queries.js';

/**
 * Access tokens of users: found by the token that was shown, never by its id alone. What users got by a wallet's signature is
 * found, too, so that it is introspected and revoked by the rules that oidc-provider has for access tokens.
 */
export class AccessTokenAdapter extends ModelAdapter {
  constructor(
    store: OAuthModelQueries,
    grants: GrantService,
    private readonly tokens: AccessTokenService,
    private readonly walletTokens: WalletTokenService,
  ) {
    super('AccessToken', store, grants);
  }

  override async upsert(id: string, payload: AdapterPayload, expiresIn: number): Promise<void> {
    if (await this.store.insertUnderGrant(this.kind, this.stored(id, payload, expiresIn))) return;
    // Its answer is under way; gateways would take it for what it says.
    await this.grants.revokeUnstored({ id, expiresAt: new Date(Date.now() + expiresIn * 1_000) });
  }

  override async find(token: string): Promise<AdapterPayload | undefined> {
    const text = unescapeJwtDots(token);
    const facts = await this.tokens.verify(text);
    if (facts) return super.find(facts.jti);
    const found = await this.walletTokens.find(text);
    return found && payloadOf(found, token);
  }

  override async destroy(id: string): Promise<void> {
    if (await this.walletTokens.revoke(unescapeJwtDots(id))) return;
    await this.grants.revokeToken(this.kind, id);
  }
}

/** Its id is the text, from which alone it can be ended: it is stored nowhere else. */
function payloadOf(token: WalletToken, jti: string): AdapterPayload {
  const { scheme: gty, clientId, userId: accountId, scope, issuedAt: iat, expiresAt: exp } = token;
  return { kind: 'AccessToken', jti, gty, clientId, accountId, scope, iat, exp };
}
