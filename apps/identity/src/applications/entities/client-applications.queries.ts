import { conflict, notFound } from '@app/common';
import { type Database, type Queryable, queryRows } from '@app/database';
import { type UserPlansResponse, type ClientPlansResponse, knownScopes, planName } from '@app/dto';
import { type EntityManager, In } from 'typeorm';
import { z } from 'zod';
import { isReviewed } from '../reviewed-values.js';
import { toRequestLimits } from '../plans/plan-terms.js';
import { ClientApplication } from './client-application.entity.js';
import { isActiveCredentialSql } from './stored-credential.js';

/**
 * Loads an application and locks it against changes until the transaction ends. The lock does not block inserts of
 * credentials, which reference the row.
 */
export async function lockClientApplication(manager: EntityManager, id: string): Promise<ClientApplication> {
  const client = await manager.findOne(ClientApplication, {
    where: { id },
    lock: { mode: 'for_no_key_update' },
  });
  if (!client) throw notFound('client_not_found', `No client application has the id ${id}.`);
  return client;
}

const notWaiting = () =>
  conflict(
    'approval_conflict',
    'This application waits for no decision any more, so that the message was not sent.',
  );

/** @throws AppError 409 where no operator has to decide about the application */
export async function lockWaitingApplication(manager: EntityManager, id: string): Promise<void> {
  const { status } = await lockClientApplication(manager, id);
  if (status !== 'pending') throw notWaiting();
}

/** Stores a message without touching `updated_at`, by which the applications that wait are ordered. */
export async function storeMessage(
  manager: EntityManager,
  from: 'owner' | 'operator',
  clientId: string,
  message: string,
): Promise<void> {
  const sql = `UPDATE identity.client_applications SET ${from}_message = $2, ${from}_message_at = now() WHERE id = $1`;
  await queryRows(manager, sql, [clientId, message]);
}

/** Ends the notice of an operator's decision. */
export async function dismissDecisionNotice(manager: EntityManager, clientId: string): Promise<void> {
  const sql = 'UPDATE identity.client_applications SET decision_notice_at = NULL WHERE id = $1';
  await queryRows(manager, sql, [clientId]);
}

export async function isClientApplication(db: Queryable, id: string): Promise<boolean> {
  const rows = await queryRows(
    db,
    'SELECT FROM identity.client_applications WHERE id = $1 AND deleted_at IS NULL',
    [id],
  );
  return rows.length === 1;
}

/** A single statement, and so a single snapshot of records and change feed, see api-keys.queries.ts. */
const PLANS = `
  SELECT (SELECT coalesce(max(seq), 0) FROM identity.credential_changes) AS "asOf",
    (SELECT coalesce(jsonb_agg(to_jsonb(found)), '[]') FROM (
      SELECT c.id AS "clientId", c.approved_scopes AS scopes,
        h.id AS "ownerId", h.user_id AS "ownerUserId", h.plan, h.per_second AS "perSecond", h.per_month AS "perMonth"
      FROM identity.client_applications c
      JOIN identity.plan_holders h ON h.id = c.owner_id
      WHERE c.id = ANY($1::text[]) AND c.deleted_at IS NULL
    ) found) AS records`;

const planRecord = z.object({
  clientId: z.string(),
  ownerId: z.string(),
  ownerUserId: z.string().nullable(),
  plan: planName,
  perSecond: z.int().nullable(),
  perMonth: z.int().nullable(),
  scopes: knownScopes,
});

const planRows = z.tuple([
  z.object({ asOf: z.bigint().transform(Number).pipe(z.int()), records: z.array(planRecord) }),
]);

/** Tenants, limits and scopes of client applications. Omits unknown and deleted ones. */
export async function findClientPlans(
  db: Queryable,
  clientIds: readonly string[],
): Promise<ClientPlansResponse> {
  const [{ asOf, records }] = planRows.parse(await queryRows(db, PLANS, [clientIds]));
  const plans = records.map(({ perSecond, perMonth, ...record }) => ({
    ...record,
    limits: toRequestLimits(record.plan, perSecond, perMonth),
  }));
  return { asOf, plans };
}

const USER_PLANS = `
  SELECT asked.user_id AS "userId", h.id AS "tenantId", coalesce(h.plan, 'free') AS plan,
    h.per_second AS "perSecond", h.per_month AS "perMonth"
  FROM unnest($1::text[]) WITH ORDINALITY AS asked (user_id, position)
  LEFT JOIN identity.plan_holders h ON h.user_id = asked.user_id ORDER BY asked.position`;

const nullableCount = z.bigint().transform(Number).nullable();

const userPlanRows = z.array(
  z.object({
    userId: z.string(),
    tenantId: z.string().nullable(),
    plan: planName,
    perSecond: nullableCount,
    perMonth: nullableCount,
  }),
);

/** Tenants and limits of users: one of each, in order. Who has no tenant has the free plan. */
export async function findUserPlans(db: Queryable, userIds: readonly string[]): Promise<UserPlansResponse> {
  const rows = userPlanRows.parse(await queryRows(db, USER_PLANS, [userIds]));
  const plans = rows.map(({ userId, tenantId, plan, perSecond, perMonth }) => ({
    userId,
    tenantId: tenantId ?? userId,
    limits: toRequestLimits(plan, perSecond, perMonth),
  }));
  return { plans };
}

const OAUTH_CLIENTS = `
  SELECT c.id, c.type, c.approved_scopes AS scopes, c.redirect_uris AS "redirectUris", c.implicit,
    c.id_token_alg AS "idTokenAlg", c.token_response AS "tokenResponse",
    ARRAY(
      SELECT encode(s.hash, 'hex') FROM identity.client_secrets AS s
      WHERE s.client_id = c.id AND ${isActiveCredentialSql('s')}
      ORDER BY s.id
    ) AS "secretHashes",
    h.id AS "tenantId", h.plan, h.per_second AS "perSecond", h.per_month AS "perMonth"
  FROM identity.client_applications AS c JOIN identity.plan_holders AS h ON h.id = c.owner_id
  WHERE c.id = ANY($1) AND c.deleted_at IS NULL`;

const oauthClientRows = z.array(
  z.object({
    id: z.string(),
    type: z.enum(['confidential', 'public']),
    scopes: knownScopes,
    redirectUris: z.array(z.string()),
    implicit: z.boolean(),
    idTokenAlg: z.enum(['RS256', 'ES256']),
    tokenResponse: z.enum(['form', 'json']),
    secretHashes: z.array(z.string()),
    tenantId: z.string(),
    plan: planName,
    perSecond: nullableCount,
    perMonth: nullableCount,
  }),
);

/** What OAuth 2.0 needs of a client application, with the hex hashes of its active secrets. */
export type OAuthClient = z.output<typeof oauthClientRows>[number];

/** Omits unknown and deleted client applications. */
export async function findOAuthClients(db: Queryable, ids: readonly string[]): Promise<OAuthClient[]> {
  return oauthClientRows.parse(await queryRows(db, OAUTH_CLIENTS, [ids]));
}

/** What users see of an application. Null if no operator has reviewed it. */
export type ShownApplication = Pick<ClientApplication, 'name' | 'iconUrl'> | null;

/** Approved names and icons by client id. Omits unknown and deleted client applications. */
export async function findShownApplications(
  database: Database,
  clientIds: string[],
): Promise<Map<string, ShownApplication>> {
  const found = await database.withConnection((manager) =>
    manager.find(ClientApplication, {
      where: { id: In(clientIds) },
      select: { id: true, name: true, iconUrl: true, revision: true, reviewedRevision: true },
    }),
  );
  return new Map(
    found.map((application) => {
      const { id, name, iconUrl } = application;
      return [id, isReviewed(application) ? { name, iconUrl } : null];
    }),
  );
}

/** What a logout needs of an application. Undefined for an unknown or deleted one. */
export async function findLogoutApplication(database: Database, id: string) {
  const found = await database.withConnection((manager) =>
    manager.findOne(ClientApplication, {
      where: { id },
      select: {
        id: true,
        name: true,
        postLogoutRedirectUris: true,
        status: true,
        revision: true,
        reviewedRevision: true,
      },
    }),
  );
  return found ?? undefined;
}

const actingRows = z.tuple([z.object({ approvedName: z.string().nullable(), scopes: knownScopes })]);
export type ActingApplication = Readonly<z.output<typeof actingRows>[0]>;

/** The scopes of the client application that a request speaks for, and its name if an operator approved it. */
export async function loadActingApplication(db: Queryable, id: string): Promise<ActingApplication> {
  const sql = `SELECT CASE WHEN reviewed_revision = revision THEN name END AS "approvedName", approved_scopes AS scopes
    FROM identity.client_applications WHERE id = $1`;
  return actingRows.parse(await queryRows(db, sql, [id]))[0];
}
