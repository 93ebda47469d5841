import { type Queryable, queryRows } from '@app/database';
import { type ClientCredential, type CredentialResponse, knownScopes, planName } from '@app/dto';
import type { EntityManager, ObjectType } from 'typeorm';
import { z } from 'zod';
import { toRequestLimits } from '../plans/plan-terms.js';
import { ApiKey } from './api-key.entity.js';
import { isActiveCredentialSql, type StoredCredential } from './stored-credential.js';
import type { ClientSecret } from './client-secret.entity.js';

/**
 * The scopes of a key are intersected here with those that the application has now, so that a gateway checks a key with few scopes like any
 * other. A single statement, and so a single snapshot of the record and the change feed. Changes become visible in sequence
 * order, so that every change missing from this snapshot has a number above `asOf`.
 */
const CREDENTIAL = `
  SELECT (SELECT coalesce(max(seq), 0) FROM identity.credential_changes) AS "asOf",
    (SELECT to_jsonb(found) FROM (
      SELECT k.id AS "keyId", k.expires_at AS "expiresAt", c.id AS "clientId",
        CASE WHEN k.scopes IS NULL THEN c.approved_scopes
          ELSE ARRAY(SELECT s FROM unnest(c.approved_scopes) AS approved (s) WHERE s = ANY (k.scopes)) END AS scopes,
        h.id AS "ownerId", h.plan, h.per_second AS "perSecond", h.per_month AS "perMonth"
      FROM identity.api_keys k
      JOIN identity.client_applications c ON c.id = k.client_id AND c.deleted_at IS NULL
      JOIN identity.plan_holders h ON h.id = c.owner_id
      WHERE k.hash = $1 AND ${isActiveCredentialSql('k')}
    ) found) AS record`;

const credentialRecord = z.object({
  keyId: z.string(),
  clientId: z.string(),
  ownerId: z.string(),
  plan: planName,
  perSecond: z.int().nullable(),
  perMonth: z.int().nullable(),
  scopes: knownScopes,
  expiresAt: z.iso.datetime({ offset: true }).nullable(),
  origins: z.array(z.string()).optional(),
});

const rows = z.tuple([
  z.object({ asOf: z.bigint().transform(Number).pipe(z.int()), record: credentialRecord.nullable() }),
]);

/** Looks up an API key by its hash. Unknown, revoked, expired and deleted ones give the same answer. */
export async function findApiKey(db: Queryable, hash: Buffer): Promise<CredentialResponse> {
  return toCredentialResponse(await queryRows(db, CREDENTIAL, [hash]));
}

/** @param found the row of a look-up by a credential, with `asOf` and the record as JSON */
export function toCredentialResponse(found: unknown): CredentialResponse {
  const [{ asOf, record }] = rows.parse(found);
  return { asOf, credential: record && toCredential(record) };
}

function toCredential(record: z.output<typeof credentialRecord>): ClientCredential {
  const { perSecond, perMonth, expiresAt, ...credential } = record;
  return {
    ...credential,
    limits: toRequestLimits(record.plan, perSecond, perMonth),
    expiresAt: expiresAt && new Date(expiresAt).toISOString(),
  };
}

/**
 * Rows that another transaction has locked are skipped: two gateways that report the same keys do not wait for each other, and such a key
 * is reported again in the next hour.
 */
const RECORD_USE = `
  WITH used AS (
    SELECT id FROM identity.api_keys
    WHERE id = ANY ($1::text[]) AND (last_used_at IS NULL OR last_used_at < $2) AND $2 <= now()
    FOR NO KEY UPDATE SKIP LOCKED
  )
  UPDATE identity.api_keys AS k SET last_used_at = $2 FROM used WHERE k.id = used.id`;

/** Stores the hour of the last use of API keys. Writes nothing for keys that were used in this hour or later. */
export async function recordKeyUse(db: Queryable, keyIds: readonly string[], hour: Date): Promise<void> {
  await queryRows(db, RECORD_USE, [keyIds, hour]);
}

const ACTIVE_SUCCESSOR = `
  SELECT FROM identity.api_keys successor
  WHERE successor.id = "key".replaced_by AND ${isActiveCredentialSql('successor')}`;

/**
 * Counts the active API keys of a tenant. A rotated key and its successor count as one, so that keys can be rotated at the
 * plan's limit.
 */
export function countActiveApiKeys(manager: EntityManager, tenantId: string): Promise<number> {
  return manager
    .createQueryBuilder(ApiKey, 'key')
    .innerJoin('key.client', 'client')
    .where('client.ownerId = :tenantId AND client.deletedAt IS NULL', { tenantId })
    .andWhere(isActiveCredentialSql('key'))
    .andWhere(`NOT EXISTS (${ACTIVE_SUCCESSOR})`)
    .getCount();
}

/** The active API keys or client secrets of an application, oldest first. */
export function loadActiveCredentials<C extends StoredCredential>(
  manager: EntityManager,
  entity: ObjectType<C>,
  clientId: string,
): Promise<C[]> {
  return manager
    .createQueryBuilder(entity, 'credential')
    .where({ clientId })
    .andWhere(isActiveCredentialSql('credential'))
    .orderBy('credential.createdAt')
    .addOrderBy('credential.id')
    .getMany();
}

/** Revokes a credential now, or lets it expire in `inSeconds` unless it expires earlier. Idempotent. */
export async function revokeCredential(
  manager: EntityManager,
  entity: typeof ApiKey | typeof ClientSecret,
  id: string,
  inSeconds: number,
): Promise<void> {
  const end =
    inSeconds === 0
      ? { revokedAt: () => 'coalesce(revoked_at, now())' }
      : { expiresAt: () => 'least(expires_at, now() + make_interval(secs => :inSeconds))' };
  await manager
    .createQueryBuilder()
    .update<ApiKey | ClientSecret>(entity)
    .set(end)
    .where({ id })
    .setParameters({ inSeconds })
    .execute();
}
