import type { AdapterPayload } from 'oidc-provider';
import type { AccessTokens } from '../provider/access-tokens.js';
import { undisguised } from '../requests/token-question.js';
import type { Grants } from './grants.js';
import { ModelAdapter } from './model-adapter.js';
import type { ModelStore } from './model-store.js';

/** Access tokens of users: found by the token that was shown, never by its id alone. */
export class AccessTokenAdapter extends ModelAdapter {
  constructor(
    store: ModelStore,
    grants: Grants,
    private readonly tokens: AccessTokens,
  ) {
    super('AccessToken', store, grants);
  }

  override async upsert(id: string, payload: AdapterPayload, expiresIn: number): Promise<void> {
    if (await this.store.issue(this.kind, this.stored(id, payload, expiresIn))) return;
    // Its answer is under way; gateways would take it for what it says.
    await this.grants.bornDead({ id, expiresAt: new Date(Date.now() + expiresIn * 1_000) });
  }

  override async find(token: string): Promise<AdapterPayload | undefined> {
    const facts = await this.tokens.read(undisguised(token));
    return facts && super.find(facts.jti);
  }

  override async destroy(id: string): Promise<void> {
    await this.grants.endToken(this.kind, id);
  }
}
