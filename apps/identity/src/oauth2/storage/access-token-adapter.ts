import type { AdapterPayload } from 'oidc-provider';
import type { WalletToken, WalletTokens } from '../../ethereum-login/wallet-tokens.js';
import type { AccessTokens } from '../provider/access-tokens.js';
import { undisguised } from '../requests/token-question.js';
import type { Grants } from './grants.js';
import { ModelAdapter } from './model-adapter.js';
import type { ModelStore } from './model-store.js';

/**
 * Access tokens of users: found by the token that was shown, never by its id alone. What users got by a wallet's signature is
 * found, too, so that it is introspected and revoked by the rules that oidc-provider has for access tokens.
 */
export class AccessTokenAdapter extends ModelAdapter {
  constructor(
    store: ModelStore,
    grants: Grants,
    private readonly tokens: AccessTokens,
    private readonly walletTokens: WalletTokens,
  ) {
    super('AccessToken', store, grants);
  }

  override async upsert(id: string, payload: AdapterPayload, expiresIn: number): Promise<void> {
    if (await this.store.issue(this.kind, this.stored(id, payload, expiresIn))) return;
    // Its answer is under way; gateways would take it for what it says.
    await this.grants.bornDead({ id, expiresAt: new Date(Date.now() + expiresIn * 1_000) });
  }

  override async find(token: string): Promise<AdapterPayload | undefined> {
    const text = undisguised(token);
    const facts = await this.tokens.read(text);
    if (facts) return super.find(facts.jti);
    const found = await this.walletTokens.find(text);
    return found && payloadOf(found, token);
  }

  override async destroy(id: string): Promise<void> {
    if (await this.walletTokens.end(undisguised(id))) return;
    await this.grants.endToken(this.kind, id);
  }
}

/** Its id is the text, from which alone it can be ended: it is stored nowhere else. */
function payloadOf(token: WalletToken, jti: string): AdapterPayload {
  const { scheme: gty, clientId, userId: accountId, scope, issuedAt: iat, expiresAt: exp } = token;
  return { kind: 'AccessToken', jti, gty, clientId, accountId, scope, iat, exp };
}
