import { type Adapter, type AdapterPayload, errors } from 'oidc-provider';
import type { GrantService } from '../storage/grant.service.js';
import { type ModelKey, type ModelKind, toStoredId, toStoredKind } from '../storage/model-kind.js';
import type { FoundModel, OAuthModelQueries, StoredModel } from '../storage/oauth-models.queries.js';

/**
 * Removes the parts of a model that work as a credential: its own id, the session id in an interaction, and the return URL,
 * which contains the interaction's id.
 */
function removeSecrets({ jti: _jti, returnTo: _returnTo, session, ...rest }: AdapterPayload): object {
  if (session === undefined) return rest;
  const { cookie: _cookie, ...kept } = session;
  return { ...rest, session: kept };
}

/** Stores one kind of oidc-provider's models in PostgreSQL. */
export class ModelAdapter implements Adapter {
  constructor(
    protected readonly kind: ModelKind,
    protected readonly models: OAuthModelQueries,
    protected readonly grants: GrantService,
  ) {}

  async upsert(id: string, payload: AdapterPayload, expiresIn: number): Promise<void> {
    await this.models.save(this.kind, this.toStoredModel(id, payload, expiresIn));
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    const model = await this.models.find(this.toKey(id));
    return model && this.toPayload(model, id);
  }

  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    const model = await this.models.findSessionByUid(uid);
    return model && this.toPayload(model, undefined);
  }

  /** User codes belong to the device flow, which is disabled. */
  findByUserCode(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  /** @throws InvalidGrant for a replayed code or refresh token, after revoking its whole grant (RFC 6749 section 10.5) */
  async consume(id: string): Promise<void> {
    if (await this.models.consume(this.toKey(id))) return;
    const model = await this.find(id);
    if (model?.grantId !== undefined) await this.grants.revoke(model.grantId);
    throw new errors.InvalidGrant('already used');
  }

  async destroy(id: string): Promise<void> {
    if (this.kind === 'Grant') await this.grants.revoke(id);
    else await this.models.delete(this.kind, toStoredId(this.kind, id));
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    await this.grants.revokeTokens(grantId, this.kind);
  }

  protected toKey(id: string): ModelKey {
    return { kind: this.kind, id: toStoredId(this.kind, id) };
  }

  protected toStoredModel(id: string, payload: AdapterPayload, expiresIn: number): StoredModel {
    const { clientId, accountId, uid } = payload;
    return {
      id: toStoredId(this.kind, id),
      grantId: this.findGrantId(id, payload),
      clientId,
      accountId,
      uid: this.kind === 'Session' ? uid : undefined,
      payload: removeSecrets(payload),
      lifetimeSeconds: expiresIn,
    };
  }

  /** The grant whose revocation deletes the model. An interaction survives it, because its user may replace the grant. */
  private findGrantId(id: string, { grantId }: AdapterPayload): string | undefined {
    if (this.kind === 'Grant') return id;
    return this.kind === 'Interaction' ? undefined : grantId;
  }

  private toPayload({ payload, consumed }: FoundModel, id: string | undefined): AdapterPayload {
    return {
      ...payload,
      ...(id === undefined ? {} : { jti: id }),
      ...(consumed === undefined ? {} : { consumed }),
    };
  }
}

/** Authorization codes and refresh tokens, which are stored only while their grant exists. */
export class GrantBoundAdapter extends ModelAdapter {
  override async upsert(id: string, payload: AdapterPayload, expiresIn: number): Promise<void> {
    const isStored = await this.models.insertUnderGrant(
      toStoredKind(this.kind, payload['amr']),
      this.toStoredModel(id, payload, expiresIn),
    );
    // A refresh token that was not stored is refused at its first use.
    if (!isStored && this.kind === 'AuthorizationCode')
      throw new errors.InvalidGrant('the grant has been revoked');
  }
}
