import { conflict, DAY_MS, SECOND_MS, tooManyRequests } from '@app/common';
import { type Queryable, queryRows } from '@app/database';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

/** Bounds the rows that one user keeps. */
export const MAX_CREDENTIALS_PER_USER = 100;
/** A client application may use as much of a limit as it leaves, so that a few never take all of it: half where it is the only one. */
export const MAX_CREDENTIALS_PER_APPLICATION = MAX_CREDENTIALS_PER_USER / 2;
/** Revoked credentials are listed after the live ones until they expire. */
export const MAX_LISTED_CREDENTIALS = 2 * MAX_CREDENTIALS_PER_USER;

/**
 * Issues on a UTC day. Each takes an entry of a status list until the list has outlived its credentials, also when the credential is
 * revoked at once.
 */
export const MAX_ISSUES_PER_USER_AND_DAY = 200;
export const MAX_ISSUES_PER_APPLICATION_AND_DAY = MAX_ISSUES_PER_USER_AND_DAY / 2;

const LOAD_USE = `
  SELECT date_trunc('second', clock_timestamp()) AS now, live.*, issues.* FROM
    (SELECT count(*)::int AS live, (count(*) FILTER (WHERE client_id = $2))::int AS "liveOfClient"
     FROM token_gating.verifiable_credentials WHERE user_id = $1 AND revoked_at IS NULL AND expires_at > now()) AS live,
    (SELECT coalesce(sum(issued), 0)::int AS issued, coalesce(sum(issued) FILTER (WHERE client_id = $2), 0)::int AS "issuedOfClient"
     FROM token_gating.credential_issues
     WHERE user_id = $1 AND day = (clock_timestamp() AT TIME ZONE 'UTC')::date) AS issues`;

const useRows = z.tuple([
  z.object({
    now: z.date(),
    live: z.int(),
    liveOfClient: z.int(),
    issued: z.int(),
    issuedOfClient: z.int(),
  }),
]);

const COUNT_ISSUE = `
  INSERT INTO token_gating.credential_issues AS counted (user_id, day, client_id, issued)
  VALUES ($1, ($3::timestamptz AT TIME ZONE 'UTC')::date, $2, 1)
  ON CONFLICT (user_id, day, client_id) DO UPDATE SET issued = counted.issued + 1`;

interface CountedIssue {
  readonly userId: string;
  readonly clientId: string | undefined;
  /** The time that `countIssue` returned. */
  readonly createdAt: Date;
}

/**
 * Counts one more credential of a user. Call after `lockCredentials`.
 * @param clientId the client application that asks; undefined for none, which only the limits of the user bound
 * @returns the database's time in whole seconds, as credentials have it
 * @throws AppError 409 for too many live credentials, 429 for too many of a day
 */
export async function countIssue(
  manager: EntityManager,
  userId: string,
  clientId: string | undefined,
): Promise<Date> {
  const [use] = useRows.parse(await queryRows(manager, LOAD_USE, [userId, clientId ?? null]));
  if (use.live >= MAX_CREDENTIALS_PER_USER) throw userLimitExceeded();
  if (use.liveOfClient >= MAX_CREDENTIALS_PER_USER - use.live) throw applicationLimitExceeded();
  if (use.issuedOfClient >= MAX_ISSUES_PER_USER_AND_DAY - use.issued) throw issueLimitExceeded(use.now);
  await queryRows(manager, COUNT_ISSUE, [userId, clientId ?? '', use.now]);
  return use.now;
}

/** Takes back what `countIssue` counted for a credential that nobody received. Call after `lockCredentials`. */
export async function uncountIssue(
  manager: EntityManager,
  { userId, clientId, createdAt }: CountedIssue,
): Promise<void> {
  const sql = `
    UPDATE token_gating.credential_issues SET issued = issued - 1
    WHERE user_id = $1 AND client_id = $2 AND day = ($3::timestamptz AT TIME ZONE 'UTC')::date AND issued > 0`;
  await queryRows(manager, sql, [userId, clientId ?? '', createdAt]);
}

/** Deletes counts of days that are over. @returns the number, at most `limit` */
export async function deleteOldIssueCounts(db: Queryable, limit: number): Promise<number> {
  const sql = `
    DELETE FROM token_gating.credential_issues WHERE (user_id, day, client_id) IN (
      SELECT user_id, day, client_id FROM token_gating.credential_issues
      WHERE day < (now() AT TIME ZONE 'UTC')::date - 1 LIMIT $1
    ) RETURNING 1`;
  return (await queryRows(db, sql, [limit])).length;
}

const userLimitExceeded = () =>
  conflict(
    'credential_limit_exceeded',
    `You have ${MAX_CREDENTIALS_PER_USER} valid credentials: revoke one first.`,
  );

const applicationLimitExceeded = () =>
  conflict(
    'credential_limit_exceeded',
    `This application asked for as many valid credentials as it leaves of ${MAX_CREDENTIALS_PER_USER}: revoke one first.`,
  );

const issueLimitExceeded = (now: Date) =>
  tooManyRequests(
    'credential_issue_limit_exceeded',
    `At most ${MAX_ISSUES_PER_USER_AND_DAY} credentials a user are issued on a UTC day, revoked ones included, and for an application as many as it leaves.`,
    { retryAfter: Math.ceil((DAY_MS - (now.getTime() % DAY_MS)) / SECOND_MS) },
  );
