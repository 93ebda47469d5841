import { randomBytes } from 'node:crypto';
import { DAY_SECONDS, createBatcher } from '@app/common';
import { Database, formatTimestampSql, lockTransaction, type Queryable, queryRows } from '@app/database';
import type { Scope } from '@app/dto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { UserEventsService } from '../../users/user-events.service.js';
import { isStoredKindSql, type ModelKey, type ModelKind, type StoredKind } from './model-kind.js';
import { REFRESH_TOKEN_GRACE_SECONDS } from '../tokens/refresh-tokens.js';

/** A model without its secrets, ready to store. */
export interface StoredModel {
  readonly id: string;
  readonly grantId: string | undefined;
  readonly clientId: string | undefined;
  readonly accountId: string | undefined;
  /** Sessions only: the public identifier, because the session id is a credential. */
  readonly uid: string | undefined;
  readonly payload: object;
  readonly lifetimeSeconds: number;
}

export interface FoundModel {
  readonly payload: Readonly<Record<string, unknown>>;
  /** Unix seconds. Undefined, too, while a consumed refresh token may be reused. */
  readonly consumed: number | undefined;
}

const COLUMNS = 'kind, id, grant_id, client_id, account_id, uid, payload, expires_at';
const VALUES = '$1, $2, $3, $4, $5, $6, $7::jsonb, now() + make_interval(secs => $8)';

/** Keeps a session unchanged if `clearSessionAccount` removed its account after the caller read it. */
const SAVE = `
  INSERT INTO identity.oauth_models (${COLUMNS}) VALUES (${VALUES})
  ON CONFLICT (kind, id) DO UPDATE SET grant_id = excluded.grant_id, client_id = excluded.client_id,
    account_id = excluded.account_id, uid = excluded.uid, payload = excluded.payload, expires_at = excluded.expires_at
  WHERE oauth_models.account_id IS NOT DISTINCT FROM excluded.account_id`;

/**
 * The row lock on the grant serializes this with the grant's revocation. Each use of a refresh token has the same successor,
 * which is stored once.
 */
const INSERT_UNDER_GRANT = `
  INSERT INTO identity.oauth_models (${COLUMNS})
  SELECT ${VALUES} FROM identity.oauth_models AS granted
  WHERE granted.kind = 'Grant' AND granted.id = $3 FOR KEY SHARE
  ON CONFLICT (kind, id) DO NOTHING
  RETURNING ${formatTimestampSql('clock_timestamp()')} AS at`;

const insertedRows = z.array(z.object({ at: z.iso.datetime() })).max(1);

/**
 * Whether a consumed model may be reused: a refresh token of a confidential client, until its successor was used. A public
 * client proves nothing when it refreshes, so its reuse is always a sign of theft (RFC 9700 section 4.14.2).
 */
const isReusable = (successorId: string) => `(
  ${successorId} IS NOT NULL AND model.consumed_at > now() - make_interval(secs => ${REFRESH_TOKEN_GRACE_SECONDS})
  AND EXISTS (SELECT 1 FROM identity.client_applications WHERE id = model.client_id AND type = 'confidential')
  AND NOT EXISTS (
    SELECT 1 FROM identity.oauth_models AS successor
    WHERE successor.kind = model.kind AND successor.id = ${successorId} AND successor.consumed_at IS NOT NULL))`;

/** Existing models, each with its position (from 1) in the request. */
const FIND = `
  SELECT requested.position::int, payload,
    CASE WHEN consumed_at IS NOT NULL AND NOT ${isReusable('requested.successor_id')}
      THEN extract(epoch FROM consumed_at)::int END AS consumed
  FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS requested (kind, id, successor_id, position)
  JOIN identity.oauth_models AS model ON ${isStoredKindSql('model.kind', 'requested.kind')} AND model.id = requested.id`;

const FIND_SESSION = `
  SELECT 1 AS position, payload, NULL AS consumed FROM identity.oauth_models WHERE kind = 'Session' AND uid = $1
  ORDER BY created_at DESC LIMIT 1`;

const CONSUME = `
  UPDATE identity.oauth_models AS model SET consumed_at = coalesce(consumed_at, now())
  WHERE ${isStoredKindSql('kind', '$1::text')} AND id = $2 AND (consumed_at IS NULL OR ${isReusable('$3::text')})
  RETURNING id`;

const DELETE = `DELETE FROM identity.oauth_models WHERE ${isStoredKindSql('kind', '$1::text')} AND id = $2`;

const CLEAR_SESSION_ACCOUNT = `
  UPDATE identity.oauth_models SET payload = payload - 'accountId' - 'authorizations' - 'loginTs' - 'amr', account_id = NULL
  WHERE kind = 'Session' AND uid = $1`;

const modelRows = z.array(
  z.object({
    position: z.int(),
    payload: z.record(z.string(), z.unknown()),
    consumed: z
      .int()
      .nullable()
      .transform((at) => at ?? undefined),
  }),
);

/** Statements on single models in `oauth_models`. */
@Injectable()
export class OAuthModelQueries {
  private readonly reads = createBatcher((keys: readonly ModelKey[]) => this.findAll(keys));

  constructor(
    private readonly database: Database,
    private readonly events: UserEventsService,
  ) {}

  async save(kind: ModelKind, model: StoredModel): Promise<void> {
    await this.database.query(SAVE, toRow(kind, model));
  }

  /** @returns false, without storing the model, if its grant no longer exists */
  async insertUnderGrant(kind: StoredKind, model: StoredModel): Promise<boolean> {
    return (await this.database.query(INSERT_UNDER_GRANT, toRow(kind, model))).length > 0;
  }

  /** Inserts the access token of a user who signs in, and publishes that. @returns the same as `insertUnderGrant` */
  insertSignIn(model: StoredModel, signIn: { userId: string; clientId: string }): Promise<boolean> {
    return this.database.transaction(async (manager) => {
      const rows = await queryRows(manager, INSERT_UNDER_GRANT, toRow('AccessToken', model));
      const [inserted] = insertedRows.parse(rows);
      if (!inserted) return false;
      await this.events.publish(manager, { type: 'user.signed_in', at: inserted.at, ...signIn });
      return true;
    });
  }

  find(key: ModelKey): Promise<FoundModel | undefined> {
    return this.reads.load(key);
  }

  async findSessionByUid(uid: string): Promise<FoundModel | undefined> {
    return modelRows.parse(await this.database.query(FIND_SESSION, [uid]))[0];
  }

  /** @returns whether the model may be used. Only one of several concurrent calls succeeds, unless it is reusable. */
  async consume({ kind, id, successorId }: ModelKey): Promise<boolean> {
    return (await this.database.query(CONSUME, [kind, id, successorId])).length > 0;
  }

  async delete(kind: ModelKind, id: string): Promise<void> {
    await this.database.query(DELETE, [kind, id]);
  }

  /** Signs the session's user out but keeps the session. */
  async clearSessionAccount(sessionUid: string): Promise<void> {
    await this.database.query(CLEAR_SESSION_ACCOUNT, [sessionUid]);
  }

  private async findAll(keys: readonly ModelKey[]): Promise<(FoundModel | undefined)[]> {
    const columns = [
      keys.map(({ kind }) => kind),
      keys.map(({ id }) => id),
      keys.map(({ successorId }) => successorId),
    ];
    const rows = modelRows.parse(await this.database.query(FIND, columns));
    const byPosition = new Map(rows.map((row) => [row.position, row]));
    return keys.map((_, index) => byPosition.get(index + 1));
  }
}

const toRow = (kind: StoredKind, model: StoredModel): unknown[] => [
  kind,
  model.id,
  model.grantId,
  model.clientId,
  model.accountId,
  model.uid,
  JSON.stringify(model.payload),
  model.lifetimeSeconds,
];

/** A decision counts for one year. */
export const GRANT_LIFETIME_SECONDS = 365 * DAY_SECONDS;

/** A user has at most this many grants to one client application: one per session. */
const MAX_GRANTS_PER_CONSENT = 20;

export interface ConsentKey {
  readonly userId: string;
  readonly clientId: string;
}

export interface ConsentDecision {
  readonly granted: readonly string[];
  /** Requested scopes that the user refused. */
  readonly refused: readonly string[];
}

/** The scopes that a user granted to a client application. */
export interface UserGrant {
  readonly grantId: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** Requested scopes that the user refused. */
  readonly refused: readonly string[];
  /** The time of the user's decision. A copy for a later session keeps it. */
  readonly since: Date;
  readonly until: Date;
}

/**
 * A copy has the latest decision time and the earliest expiry of its sources. Uses `clock_timestamp()`, because `now()`
 * stands still during a transaction.
 */
const INSERT_GRANT = `
  INSERT INTO identity.oauth_models
    (kind, id, grant_id, client_id, account_id, payload, created_at, decided_at, expires_at)
  SELECT 'Grant', $1, $1, $2, $3, $4::jsonb || jsonb_build_object('exp', floor(extract(epoch FROM until))::int),
    clock_timestamp(), decided, until
  FROM (
    SELECT max(coalesce(decided_at, created_at)) AS decided,
      coalesce(min(expires_at), clock_timestamp() + make_interval(secs => $5)) AS until
    FROM identity.oauth_models WHERE kind = 'Grant' AND id = ANY($6::text[])
  ) AS copied`;

const LIST_GRANTS = `
  SELECT id AS "grantId", client_id AS "clientId", coalesce(decided_at, created_at) AS since, expires_at AS until,
    payload #>> '{openid,scope}' AS scopes, payload #>> '{rejected,openid,scope}' AS refused
  FROM identity.oauth_models
  WHERE kind = 'Grant' AND account_id = $1 AND client_id = coalesce($2, client_id) AND expires_at > now()
  ORDER BY since DESC, created_at DESC`;

const LIST_GRANT_IDS = `SELECT id FROM identity.oauth_models WHERE kind = 'Grant' AND account_id = $1 AND client_id = $2`;

/**
 * Surplus grants: first those without live tokens, then the oldest. A grant of the last ten minutes counts as live, because
 * its first code may not be issued yet.
 */
const LIST_SURPLUS_GRANTS = `
  SELECT id FROM identity.oauth_models AS granted
  WHERE kind = 'Grant' AND account_id = $1 AND client_id = $2 AND id <> $3
  ORDER BY expires_at > now() AND (created_at > now() - interval '10 minutes' OR EXISTS (
      SELECT 1 FROM identity.oauth_models AS issued
      WHERE issued.grant_id = granted.id AND issued.kind <> 'Grant' AND issued.expires_at > now()
    )) DESC, created_at DESC
  OFFSET ${MAX_GRANTS_PER_CONSENT - 1}`;

const LOCK_GRANTS = `
  SELECT pg_advisory_xact_lock(hashtextextended('gatehouse grant ' || name, 0)) FROM unnest($1::text[]) AS name`;

const DELETE_GRANTS = `
  DELETE FROM identity.oauth_models WHERE kind = 'Grant' AND id = ANY($1::text[])
  RETURNING account_id AS "userId", client_id AS "clientId", payload #>> '{openid,scope}' AS scopes`;

const LIST_ENDED_CONSENTS = `
  SELECT ended.user_id AS "userId", ended.client_id AS "clientId", ${formatTimestampSql('clock_timestamp()')} AS at
  FROM unnest($1::text[], $2::text[]) AS ended (user_id, client_id)
  WHERE NOT EXISTS (
    SELECT FROM identity.oauth_models WHERE kind = 'Grant' AND account_id = ended.user_id AND client_id = ended.client_id
      AND expires_at > now() AND $3 = ANY(string_to_array(payload #>> '{openid,scope}', ' ')))`;

const DELETE_TOKENS = `
  DELETE FROM identity.oauth_models WHERE grant_id = ANY($1::text[]) AND kind <> 'Grant'
    AND ($2::text IS NULL OR ${isStoredKindSql('kind', '$2')})
  RETURNING kind, id, expires_at AS "expiresAt"`;

const DELETE_TOKEN = `
  DELETE FROM identity.oauth_models WHERE kind = $1 AND id = $2 RETURNING kind, id, expires_at AS "expiresAt"`;

const scopeList = z
  .string()
  .nullable()
  .transform((text) => text?.split(' ') ?? []);

const grantRows = z.array(
  z.object({
    grantId: z.string(),
    clientId: z.string(),
    since: z.date(),
    until: z.date(),
    scopes: scopeList,
    refused: scopeList,
  }),
);

const idRows = z.array(z.object({ id: z.string() })).transform((rows) => rows.map(({ id }) => id));

const deletedTokens = z.array(z.object({ kind: z.string(), id: z.string(), expiresAt: z.date() }));

/** A deleted code or token. */
export type DeletedToken = z.output<typeof deletedTokens>[number];

/**
 * Stores a grant in the format of oidc-provider.
 * @param copied the ids of the grants to copy; empty for a new decision
 * @returns the grant's id
 */
export async function insertGrant(
  manager: EntityManager,
  { userId, clientId }: ConsentKey,
  { granted, refused }: ConsentDecision,
  copied: readonly string[] = [],
): Promise<string> {
  const id = randomBytes(32).toString('base64url');
  const payload = {
    kind: 'Grant',
    iat: Math.floor(Date.now() / 1_000),
    accountId: userId,
    clientId,
    ...(granted.length > 0 && { openid: { scope: granted.join(' ') } }),
    ...(refused.length > 0 && { rejected: { openid: { scope: refused.join(' ') } } }),
  };
  const row = [id, clientId, userId, JSON.stringify(payload), GRANT_LIFETIME_SECONDS, copied];
  await queryRows(manager, INSERT_GRANT, row);
  return id;
}

/** Lists a user's live grants, latest decision first. */
export async function listGrants(
  db: Queryable,
  userId: string,
  clientId: string | undefined,
): Promise<UserGrant[]> {
  return grantRows.parse(await queryRows(db, LIST_GRANTS, [userId, clientId]));
}

/** Lists all grants of a user to a client application, also expired ones. */
export async function listGrantIds(
  manager: EntityManager,
  { userId, clientId }: ConsentKey,
): Promise<string[]> {
  return idRows.parse(await queryRows(manager, LIST_GRANT_IDS, [userId, clientId]));
}

/** Lists the grants beyond the limit per consent, except `newGrantId`. */
export async function listSurplusGrantIds(
  manager: EntityManager,
  { userId, clientId }: ConsentKey,
  newGrantId: string,
): Promise<string[]> {
  return idRows.parse(await queryRows(manager, LIST_SURPLUS_GRANTS, [userId, clientId, newGrantId]));
}

/**
 * Serializes writers of one user's consents to a client application, so that no grant is copied while it is being revoked. A
 * statement of its own, so that the next one sees what the previous lock owner committed.
 */
export async function lockConsents(manager: EntityManager, { userId, clientId }: ConsentKey): Promise<void> {
  await lockTransaction(manager, `gatehouse decisions ${userId} ${clientId}`);
}

/** Serializes revocations of the same grants, which would otherwise lock their rows in different orders and deadlock. */
export async function lockGrants(manager: EntityManager, grantIds: readonly string[]): Promise<void> {
  await queryRows(manager, LOCK_GRANTS, [grantIds]);
}

const deletedGrant = z.object({
  userId: z.string().nullable(),
  clientId: z.string().nullable(),
  scopes: scopeList,
});
const deletedGrants = z.array(deletedGrant);

/**
 * Waits for inserts under the grants that are in progress, so that the next statement sees their rows.
 * @returns the users and client applications of grants that included the scope, each pair once
 */
export async function deleteGrants(
  manager: EntityManager,
  grantIds: readonly string[],
  scope: Scope,
): Promise<ConsentKey[]> {
  return toConsentKeys(deletedGrants.parse(await queryRows(manager, DELETE_GRANTS, [grantIds])), scope);
}

/** The users and client applications of grants that included the scope, each pair once. */
function toConsentKeys(deleted: z.output<typeof deletedGrants>, scope: Scope): ConsentKey[] {
  const keys = new Map<string, ConsentKey>();
  for (const { userId, clientId, scopes } of deleted)
    if (userId !== null && clientId !== null && scopes.includes(scope))
      keys.set(`${userId} ${clientId}`, { userId, clientId });
  return [...keys.values()];
}

const endedConsents = z.array(z.object({ userId: z.string(), clientId: z.string(), at: z.iso.datetime() }));

/** Consents without a live grant that includes the scope, with the time of the database. */
export async function listEndedConsents(
  manager: EntityManager,
  keys: readonly ConsentKey[],
  scope: Scope,
): Promise<(ConsentKey & { at: string })[]> {
  const columns = [keys.map(({ userId }) => userId), keys.map(({ clientId }) => clientId)];
  return endedConsents.parse(await queryRows(manager, LIST_ENDED_CONSENTS, [...columns, scope]));
}

/** Deletes codes and tokens under grants. @param kind all kinds when undefined */
export async function deleteTokensOfGrants(
  manager: EntityManager,
  grantIds: readonly string[],
  kind?: ModelKind,
): Promise<DeletedToken[]> {
  return deletedTokens.parse(await queryRows(manager, DELETE_TOKENS, [grantIds, kind ?? null]));
}

export async function deleteToken(
  manager: EntityManager,
  kind: ModelKind,
  id: string,
): Promise<DeletedToken[]> {
  return deletedTokens.parse(await queryRows(manager, DELETE_TOKEN, [kind, id]));
}

const MAX_SWEPT_ROWS = 1_000;

/** Keeps rows for a minute after their expiry, because clocks differ. */
const DELETE_EXPIRED = `
  DELETE FROM identity.oauth_models WHERE (kind, id) IN (
    SELECT kind, id FROM identity.oauth_models WHERE expires_at < now() - interval '1 minute'
    ORDER BY expires_at LIMIT ${MAX_SWEPT_ROWS} FOR UPDATE SKIP LOCKED
  )
  RETURNING kind, account_id AS "userId", client_id AS "clientId", payload #>> '{openid,scope}' AS scopes`;

const expiredModels = z.array(deletedGrant.extend({ kind: z.string() }));

/** Deletes a batch of expired models. @returns the users and client applications of expired grants that included the scope */
export async function deleteExpiredModels(
  manager: EntityManager,
  scope: Scope,
): Promise<{ hasMore: boolean; ended: ConsentKey[] }> {
  const deleted = expiredModels.parse(await queryRows(manager, DELETE_EXPIRED, []));
  const grants = deleted.filter(({ kind }) => kind === 'Grant');
  return { hasMore: deleted.length === MAX_SWEPT_ROWS, ended: toConsentKeys(grants, scope) };
}
