import { randomBytes } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import type { ModelKind } from './model-kind.js';

/** A decision counts for one year. */
export const GRANT_LIFETIME_SECONDS = 365 * 24 * 3_600;

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
  /** When the user decided. A copy for a later session keeps this time. */
  readonly since: Date;
  readonly until: Date;
}

/** The database, or a transaction in it. */
export interface QueryExecutor {
  query(sql: string, parameters: unknown[]): Promise<unknown>;
}

/**
 * A copy has the latest decision time and the earliest expiry of its sources. Uses `clock_timestamp()`, because `now()`
 * stands still during a transaction.
 */
const INSERT = `
  INSERT INTO identity.oauth_models
    (kind, id, grant_id, client_id, account_id, payload, created_at, decided_at, expires_at)
  SELECT 'Grant', $1, $1, $2, $3, $4::jsonb || jsonb_build_object('exp', floor(extract(epoch FROM until))::int),
    clock_timestamp(), decided, until
  FROM (
    SELECT max(coalesce(decided_at, created_at)) AS decided,
      coalesce(min(expires_at), clock_timestamp() + make_interval(secs => $5)) AS until
    FROM identity.oauth_models WHERE kind = 'Grant' AND id = ANY($6::text[])
  ) AS copied`;

const LIST = `
  SELECT id AS "grantId", client_id AS "clientId", coalesce(decided_at, created_at) AS since, expires_at AS until,
    payload #>> '{openid,scope}' AS scopes, payload #>> '{rejected,openid,scope}' AS refused
  FROM identity.oauth_models
  WHERE kind = 'Grant' AND account_id = $1 AND client_id = coalesce($2, client_id) AND expires_at > now()
  ORDER BY since DESC, created_at DESC`;

const LIST_IDS = `SELECT id FROM identity.oauth_models WHERE kind = 'Grant' AND account_id = $1 AND client_id = $2`;

/**
 * Surplus grants: first those without live tokens, then the oldest. A grant of the last ten minutes counts as live, because
 * its first code may not be issued yet.
 */
const LIST_SURPLUS = `
  SELECT id FROM identity.oauth_models AS granted
  WHERE kind = 'Grant' AND account_id = $1 AND client_id = $2 AND id <> $3
  ORDER BY expires_at > now() AND (created_at > now() - interval '10 minutes' OR EXISTS (
      SELECT 1 FROM identity.oauth_models AS issued
      WHERE issued.grant_id = granted.id AND issued.kind <> 'Grant' AND issued.expires_at > now()
    )) DESC, created_at DESC
  OFFSET ${MAX_GRANTS_PER_CONSENT - 1}`;

const LOCK_CONSENTS = `SELECT pg_advisory_xact_lock(hashtextextended('gatehouse decisions ' || $1 || ' ' || $2, 0))`;

const LOCK_GRANTS = `
  SELECT pg_advisory_xact_lock(hashtextextended('gatehouse grant ' || name, 0)) FROM unnest($1::text[]) AS name`;

const DELETE_GRANTS = `DELETE FROM identity.oauth_models WHERE kind = 'Grant' AND id = ANY($1::text[])`;

const DELETE_TOKENS = `
  DELETE FROM identity.oauth_models WHERE grant_id = ANY($1::text[]) AND kind <> 'Grant' AND kind = coalesce($2, kind)
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

/** TypeORM returns rows and a count for a DELETE. */
const deletedTokens = z
  .tuple([z.array(z.object({ kind: z.string(), id: z.string(), expiresAt: z.date() }))], z.unknown())
  .transform(([rows]) => rows);

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
  await manager.query(INSERT, row);
  return id;
}

/** Lists a user's live grants, latest decision first. */
export async function listGrants(
  executor: QueryExecutor,
  userId: string,
  clientId: string | undefined,
): Promise<UserGrant[]> {
  return grantRows.parse(await executor.query(LIST, [userId, clientId]));
}

/** Lists all grants of a user to a client application, also expired ones. */
export async function listGrantIds(
  manager: EntityManager,
  { userId, clientId }: ConsentKey,
): Promise<string[]> {
  return idRows.parse(await manager.query(LIST_IDS, [userId, clientId]));
}

/** Lists the grants beyond the limit per consent, except `newGrantId`. */
export async function listSurplusGrantIds(
  manager: EntityManager,
  { userId, clientId }: ConsentKey,
  newGrantId: string,
): Promise<string[]> {
  return idRows.parse(await manager.query(LIST_SURPLUS, [userId, clientId, newGrantId]));
}

/**
 * Serializes writers of one user's consents to a client application, so that no grant is copied while it is being revoked. A
 * statement of its own, so that the next one sees what the previous lock owner committed.
 */
export async function lockConsents(manager: EntityManager, { userId, clientId }: ConsentKey): Promise<void> {
  await manager.query(LOCK_CONSENTS, [userId, clientId]);
}

/** Serializes revocations of the same grants, which would otherwise lock their rows in different orders and deadlock. */
export async function lockGrants(manager: EntityManager, grantIds: readonly string[]): Promise<void> {
  await manager.query(LOCK_GRANTS, [grantIds]);
}

/** Waits for inserts under the grants that are in progress, so that the next statement sees their rows. */
export async function deleteGrants(manager: EntityManager, grantIds: readonly string[]): Promise<void> {
  await manager.query(DELETE_GRANTS, [grantIds]);
}

/** Deletes codes and tokens under grants. @param kind all kinds when undefined */
export async function deleteTokensOfGrants(
  manager: EntityManager,
  grantIds: readonly string[],
  kind?: ModelKind,
): Promise<DeletedToken[]> {
  return deletedTokens.parse(await manager.query(DELETE_TOKENS, [grantIds, kind ?? null]));
}

export async function deleteToken(
  manager: EntityManager,
  kind: ModelKind,
  id: string,
): Promise<DeletedToken[]> {
  return deletedTokens.parse(await manager.query(DELETE_TOKEN, [kind, id]));
}
