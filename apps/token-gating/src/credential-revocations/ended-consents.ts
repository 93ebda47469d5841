import { conflict, MINUTE_SECONDS } from '@app/common';
import { type Database, type Queryable, queryRows } from '@app/database';
import type { EntityManager } from 'typeorm';
import { isTokenOfEndedSql, revokeCredentials } from './revoke-credentials.js';

/**
 * An access token may work for some seconds after its consent has ended, until every gateway has read the revocation, and issuing a
 * credential may take 10 s of reads between the check of the token and the row. For this long nothing is issued, and what was issued ends.
 */
const CONSENT_END_SECONDS = MINUTE_SECONDS;
/** Every client application, when the user was erased. */
const EVERY_CLIENT = '';

/** Serializes issuing and the ends of consents of a user. A statement of its own, so that later ones see what was committed before. */
export async function lockCredentials(manager: EntityManager, userId: string): Promise<void> {
  const lock = `SELECT pg_advisory_xact_lock(hashtextextended('gatehouse credentials of ' || $1, 0))`;
  await queryRows(manager, lock, [userId]);
}

const RECORD_END = `
  INSERT INTO token_gating.ended_consents AS known (user_id, client_id, ended_at) VALUES ($1, $2, $3)
  ON CONFLICT (user_id, client_id) DO UPDATE SET ended_at = greatest(known.ended_at, excluded.ended_at)
  RETURNING to_char(($3::timestamptz + make_interval(secs => ${CONSENT_END_SECONDS})) AT TIME ZONE 'UTC',
    'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS until`;

/**
 * Revokes the credentials that a client application asked for until its consent ended, and in the minute after. A repeated event ends
 * none that were issued later.
 * @param at database time of identity, ISO 8601
 */
export async function endConsent(
  database: Database,
  userId: string,
  { clientId, at }: { clientId: string; at: string },
): Promise<void> {
  await database.transaction(async (manager) => {
    const before = await recordEnd(manager, userId, clientId, at);
    await revokeCredentials(manager, userId, { clientId, before, endedAt: at });
  });
}

/**
 * Revokes the credentials of a user who was erased, those of the minute after included. A late or repeated event ends none that the
 * user got after coming back.
 * @param at database time of identity, ISO 8601
 * @returns the time until which things of the user are of before the erasure, ISO 8601
 */
export async function endAllConsents(database: Database, userId: string, at: string): Promise<string> {
  return database.transaction(async (manager) => {
    const before = await recordEnd(manager, userId, EVERY_CLIENT, at);
    await revokeCredentials(manager, userId, { before });
    return before;
  });
}

async function recordEnd(
  manager: EntityManager,
  userId: string,
  clientId: string,
  at: string,
): Promise<string> {
  await lockCredentials(manager, userId);
  const rows = await queryRows(manager, RECORD_END, [userId, clientId, at]);
  return (rows as [{ until: string }])[0].until;
}

/** A request of a client application for a user. */
interface ConsentedRequest {
  readonly userId: string;
  /** Undefined where only the erasure of the user matters. */
  readonly clientId?: string | undefined;
  /** Unix seconds; undefined for a message that the user signed. */
  readonly tokenIssuedAt?: number | undefined;
}

/**
 * Whether the consent under which a client application asks ended less than a minute ago; one that was given since then counts.
 * Call after `lockCredentials`.
 */
export async function hasConsentEnded(
  manager: EntityManager,
  { userId, clientId, tokenIssuedAt }: ConsentedRequest,
): Promise<boolean> {
  const sql = `
    SELECT FROM token_gating.ended_consents WHERE user_id = $1
      AND (client_id = $3 OR (client_id = $2 AND ${isTokenOfEndedSql('to_timestamp($4::float8)', 'ended_at')}))
      AND ended_at > clock_timestamp() - make_interval(secs => ${CONSENT_END_SECONDS})`;
  const parameters = [userId, clientId ?? null, EVERY_CLIENT, tokenIssuedAt ?? null];
  return (await queryRows(manager, sql, parameters)).length > 0;
}

/** Deletes ends that no longer matter. @returns the number, at most `limit` */
export async function deleteEndedConsents(db: Queryable, limit: number): Promise<number> {
  const sql = `
    DELETE FROM token_gating.ended_consents WHERE (user_id, client_id) IN (
      SELECT user_id, client_id FROM token_gating.ended_consents
      WHERE ended_at < now() - make_interval(secs => ${2 * CONSENT_END_SECONDS}) LIMIT $1
    ) RETURNING 1`;
  return (await queryRows(db, sql, [limit])).length;
}

export const consentRequired = () =>
  conflict(
    'consent_required',
    'The user ended the consent of this application less than a minute ago: ask for it again, and use the new token.',
    { retryAfter: CONSENT_END_SECONDS },
  );
