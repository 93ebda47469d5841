import type { AdapterPayload } from 'oidc-provider';
import type { WalletToken, WalletTokenService } from '../../ethereum-login/id-tokens/wallet-token.service.js';
import type { AccessTokenService } from '../tokens/access-token.service.js';
import { unescapeJwtDots } from '../tokens/escape-jwt-dots.js';
import type { GrantService } from '../storage/grant.service.js';
import { ModelAdapter } from './model-adapter.js';
import type { OAuthModelQueries } from '../storage/oauth-models.queries.js';

/**
 * Access tokens of users. They are found by the presented token, never by its id alone. Also finds AE tokens and Ethereum
 * credentials, so that oidc-provider introspects and revokes them like access tokens.
 */
export class AccessTokenAdapter extends ModelAdapter {
  constructor(
    models: OAuthModelQueries,
    grants: GrantService,
    private readonly tokens: AccessTokenService,
    private readonly walletTokens: WalletTokenService,
  ) {
    super('AccessToken', models, grants);
  }

  override async upsert(id: string, payload: AdapterPayload, expiresIn: number): Promise<void> {
    if (await this.models.insertUnderGrant(this.kind, this.toStoredModel(id, payload, expiresIn))) return;
    // The grant has been revoked meanwhile. The response still contains the signed token, which gateways would accept.
    await this.grants.revokeUnstored({ id, expiresAt: new Date(Date.now() + expiresIn * 1_000) });
  }

  override async find(token: string): Promise<AdapterPayload | undefined> {
    const text = unescapeJwtDots(token);
    const claims = await this.tokens.verify(text);
    if (claims) return super.find(claims.jti);
    const walletToken = await this.walletTokens.find(text);
    return walletToken && toPayload(walletToken, token);
  }

  override async destroy(id: string): Promise<void> {
    if (await this.walletTokens.revoke(unescapeJwtDots(id))) return;
    await this.grants.revokeToken(this.kind, id);
  }
}

/** The token's text serves as its id, because `destroy` needs the text to revoke it. */
function toPayload(token: WalletToken, jti: string): AdapterPayload {
  const { scheme: gty, clientId, userId: accountId, scope, issuedAt: iat, expiresAt: exp } = token;
  return { kind: 'AccessToken', jti, gty, clientId, accountId, scope, iat, exp };
}
