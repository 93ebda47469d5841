import type { CredentialHasher } from '../../applications/credentials/credential-hasher.js';
import type { GrantService } from '../storage/grant.service.js';
import { type ModelKey, toStoredId } from '../storage/model-kind.js';
import type { OAuthModelQueries } from '../storage/oauth-models.queries.js';
import { deriveSuccessor } from '../tokens/chain-refresh-tokens.js';
import { GrantBoundAdapter } from './model-adapter.js';

/** Refresh tokens. Whether a used one may be used again depends on its successor. */
export class RefreshTokenAdapter extends GrantBoundAdapter {
  constructor(
    models: OAuthModelQueries,
    grants: GrantService,
    private readonly hasher: CredentialHasher,
  ) {
    super('RefreshToken', models, grants);
  }

  protected override toKey(id: string): ModelKey {
    return { ...super.toKey(id), successorId: toStoredId(this.kind, deriveSuccessor(id, this.hasher)) };
  }
}
