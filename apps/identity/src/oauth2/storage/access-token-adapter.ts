import type { AdapterPayload } from 'oidc-provider';
import { undisguised } from '../requests/token-question.js';
import type { AccessTokens } from '../provider/access-tokens.js';
import type { Grants } from './grants.js';
import { ModelAdapter } from './model-adapter.js';
import type { ModelKind } from './model-kind.js';
import type { ModelStore } from './model-store.js';

/** Access tokens, of users and of client applications: found by the token that was shown, never by its id alone. */
export class AccessTokenAdapter extends ModelAdapter {
  constructor(
    kind: ModelKind & ('AccessToken' | 'ClientCredentials'),
    store: ModelStore,
    grants: Grants,
    private readonly tokens: AccessTokens,
  ) {
    super(kind, store, grants);
  }

  override async upsert(id: string, payload: AdapterPayload, expiresIn: number): Promise<void> {
    if (payload.grantId === undefined) {
      await super.upsert(id, payload, expiresIn);
      return;
    }
    if (await this.store.issue(this.kind, this.stored(id, payload, expiresIn))) return;
    // Its answer is under way; gateways would take it for what it says.
    await this.grants.bornDead({ id, expiresAt: new Date(Date.now() + expiresIn * 1_000) });
  }

  override async find(token: string): Promise<AdapterPayload | undefined> {
    const id = await this.tokens.idOf(undisguised(token));
    return id === undefined ? undefined : super.find(id);
  }

  override async destroy(id: string): Promise<void> {
    await this.grants.endToken(this.kind, id);
  }
}
