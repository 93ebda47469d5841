import { type Adapter, type AdapterPayload, errors } from 'oidc-provider';
import type { Grants } from './grants.js';
import { type ModelKind, storedIdOf } from './model-kind.js';
import type { FoundModel, ModelStore, StoredModel } from './model-store.js';
import { withoutSecrets } from './without-secrets.js';

/** One kind of oidc-provider's models in PostgreSQL. */
export class ModelAdapter implements Adapter {
  constructor(
    protected readonly kind: ModelKind,
    protected readonly store: ModelStore,
    protected readonly grants: Grants,
  ) {}

  async upsert(id: string, payload: AdapterPayload, expiresIn: number): Promise<void> {
    await this.store.save(this.kind, this.stored(id, payload, expiresIn));
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    const model = await this.store.find(this.kind, storedIdOf(this.kind, id));
    return model && this.payloadOf(model, id);
  }

  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    const model = await this.store.findSession(uid);
    return model && this.payloadOf(model, undefined);
  }

  /** Codes that people type in belong to the device flow, which is not offered. */
  findByUserCode(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  /** @throws InvalidGrant when it was used before: whoever has it too, nobody keeps what came of it */
  async consume(id: string): Promise<void> {
    if (await this.store.consume(this.kind, storedIdOf(this.kind, id))) return;
    const model = await this.find(id);
    if (model?.grantId !== undefined) await this.grants.end(model.grantId);
    throw new errors.InvalidGrant('used before');
  }

  async destroy(id: string): Promise<void> {
    if (this.kind === 'Grant') await this.grants.end(id);
    else await this.store.remove(this.kind, storedIdOf(this.kind, id));
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    await this.grants.endTokens(grantId, this.kind);
  }

  protected stored(id: string, payload: AdapterPayload, expiresIn: number): StoredModel {
    const { clientId, accountId, uid } = payload;
    return {
      id: storedIdOf(this.kind, id),
      grantId: this.grantOf(id, payload),
      clientId,
      accountId,
      uid: this.kind === 'Session' ? uid : undefined,
      payload: withoutSecrets(payload),
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
