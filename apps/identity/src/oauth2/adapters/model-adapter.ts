import { boundEntries } from '@app/common';
import { LRUCache } from 'lru-cache';
import { isDeepStrictEqual } from 'node:util';
import { type Adapter, type AdapterPayload, errors } from 'oidc-provider';
import type { CredentialHasher } from '../../applications/credentials/credential-issuer.js';
import type { GrantService } from '../storage/grant.service.js';
import { type ModelKey, type ModelKind, toStoredId, toStoredKind } from '../storage/model-kind.js';
import type { FoundModel, OAuthModelQueries, StoredModel } from '../storage/oauth-models.queries.js';
import { deriveSuccessor } from '../tokens/refresh-tokens.js';

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

const MAX_CACHED_SESSIONS = 10_000;
/** The stored expiry may lag behind by this much; a session lives for a day. */
const MAX_EXPIRY_LAG_SECONDS = 600;

/**
 * Sessions. oidc-provider saves them with every request to extend their expiry. An extension alone is written every ten
 * minutes at most, other changes immediately.
 */
export class SessionAdapter extends ModelAdapter {
  private readonly stored = new LRUCache<string, AdapterPayload>(boundEntries(MAX_CACHED_SESSIONS));

  override async upsert(id: string, payload: AdapterPayload, expiresIn: number): Promise<void> {
    const stored = this.stored.get(id);
    if (stored && isUpToDate(stored, payload)) return;
    this.stored.delete(id);
    await super.upsert(id, payload, expiresIn);
  }

  override async find(id: string): Promise<AdapterPayload | undefined> {
    const found = await super.find(id);
    // Copied, because oidc-provider modifies payloads in place.
    if (found) this.stored.set(id, structuredClone(found));
    else this.stored.delete(id);
    return found;
  }
}

function isUpToDate(
  { exp: storedExp = 0, ...stored }: AdapterPayload,
  { exp = 0, ...current }: AdapterPayload,
): boolean {
  return exp - storedExp < MAX_EXPIRY_LAG_SECONDS && isDeepStrictEqual(stored, current);
}
