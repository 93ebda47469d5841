import { type Adapter, type AdapterPayload, errors } from 'oidc-provider';
import type { GrantService } from '../storage/grant.service.js';
import { type ModelKind, toStoredId } from '../storage/model-kind.js';
import type { FoundModel, OAuthModelQueries, StoredModel } from '../storage/oauth-model.queries.js';

/**
 * What of a model is stored. Its id is what its holder shows, and so is the session's that an interaction remembers; the
 * place to go on at has the interaction's id in it.
 */
export function removeSecrets({ jti: _jti, returnTo: _returnTo, session, ...rest }: AdapterPayload): object {
  if (session === undefined) return rest;
  const { cookie: _cookie, ...kept } = session;
  return { ...rest, session: kept };
}

/** One kind of oidc-provider's models in PostgreSQL. */
export class ModelAdapter implements Adapter {
  constructor(
    protected readonly kind: ModelKind,
    protected readonly store: OAuthModelQueries,
    protected readonly grants: GrantService,
  ) {}

  async upsert(id: string, payload: AdapterPayload, expiresIn: number): Promise<void> {
    await this.store.save(this.kind, this.stored(id, payload, expiresIn));
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    const model = await this.store.find(this.kind, toStoredId(this.kind, id));
    return model && this.payloadOf(model, id);
  }

  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    const model = await this.store.findSessionByUid(uid);
    return model && this.payloadOf(model, undefined);
  }

  /** Codes that people type in belong to the device flow, which is not offered. */
  findByUserCode(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  /** @throws InvalidGrant when it was used before: whoever has it too, nobody keeps what came of it */
  async consume(id: string): Promise<void> {
    if (await this.store.consume(this.kind, toStoredId(this.kind, id))) return;
    const model = await this.find(id);
    if (model?.grantId !== undefined) await this.grants.revoke(model.grantId);
    throw new errors.InvalidGrant('used before');
  }

  async destroy(id: string): Promise<void> {
    if (this.kind === 'Grant') await this.grants.revoke(id);
    else await this.store.delete(this.kind, toStoredId(this.kind, id));
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    await this.grants.revokeTokens(grantId, this.kind);
  }

  protected stored(id: string, payload: AdapterPayload, expiresIn: number): StoredModel {
    const { clientId, accountId, uid } = payload;
    return {
      id: toStoredId(this.kind, id),
      grantId: this.grantOf(id, payload),
      clientId,
      accountId,
      uid: this.kind === 'Session' ? uid : undefined,
      payload: removeSecrets(payload),
      lifetimeSeconds: expiresIn,
    };
  }

  /** What ends together with a grant. An interaction knows of one, too; its user may be about to replace it. */
  private grantOf(id: string, { grantId }: AdapterPayload): string | undefined {
    if (this.kind === 'Grant') return id;
    return this.kind === 'Interaction' ? undefined : grantId;
  }

  private payloadOf({ payload, consumed }: FoundModel, id: string | undefined): AdapterPayload {
    return {
      ...payload,
      ...(id === undefined ? {} : { jti: id }),
      ...(consumed === undefined ? {} : { consumed }),
    };
  }
}

/** Codes and refresh tokens: nothing of them is there without the grant that they belong to. */
export class GrantBoundAdapter extends ModelAdapter {
  override async upsert(id: string, payload: AdapterPayload, expiresIn: number): Promise<void> {
    const isIssued = await this.store.insertUnderGrant(this.kind, this.stored(id, payload, expiresIn));
    // A refresh token's answer is under way: it is worth nothing, and whoever shows it is told so.
    if (!isIssued && this.kind === 'AuthorizationCode') throw new errors.InvalidGrant('grant ended');
  }
}
