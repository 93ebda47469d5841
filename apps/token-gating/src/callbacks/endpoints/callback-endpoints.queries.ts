import { type Queryable, queryRows } from '@app/database';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { type EndpointEventType, EVENT_SCOPES } from '@app/dto';
import { TEST_EVENT } from './endpoint-events.js';

const nullableTime = z.date().nullable();

const endpointRows = z.array(
  z.object({
    id: z.string(),
    url: z.string(),
    // Text, because another release may know further events.
    events: z.array(z.string()),
    description: z.string(),
    isVerified: z.boolean(),
    previousSecretUntil: nullableTime,
    disabledAt: nullableTime,
    suspendedAt: nullableTime,
    lastSuccessAt: nullableTime,
    lastFailureAt: nullableTime,
    lastFailure: z.string().nullable(),
    failingSince: nullableTime,
    createdAt: z.date(),
  }),
);
export type StoredEndpoint = z.output<typeof endpointRows>[number];

const COLUMNS = `
  e.id, e.url, e.events, e.description, e.challenge IS NULL AS "isVerified", e.disabled_at AS "disabledAt",
  CASE WHEN e.previous_secret_until > now() THEN e.previous_secret_until END AS "previousSecretUntil",
  e.suspended_at AS "suspendedAt", e.last_success_at AS "lastSuccessAt", e.last_failure_at AS "lastFailureAt",
  e.last_failure AS "lastFailure", e.failing_since AS "failingSince", e.created_at AS "createdAt"`;

/** The endpoints of a client application, oldest first. */
export async function listEndpoints(db: Queryable, clientId: string): Promise<StoredEndpoint[]> {
  const sql = `
    SELECT ${COLUMNS} FROM token_gating.callback_endpoints e WHERE e.client_id = $1 ORDER BY e.created_at, e.id`;
  return endpointRows.parse(await queryRows(db, sql, [clientId]));
}

export async function findEndpoint(
  db: Queryable,
  { clientId, endpointId }: EndpointKey,
): Promise<StoredEndpoint | undefined> {
  const sql = `SELECT ${COLUMNS} FROM token_gating.callback_endpoints e WHERE e.client_id = $1 AND e.id = $2`;
  return endpointRows.parse(await queryRows(db, sql, [clientId, endpointId]))[0];
}

/** An endpoint of a client application. */
export interface EndpointKey {
  readonly clientId: string;
  readonly endpointId: string;
}

export interface NewEndpoint extends EndpointKey {
  readonly tenantId: string;
  readonly url: string;
  readonly events: readonly EndpointEventType[];
  readonly description: string;
  readonly challenge: string;
  readonly sealedSecret: Buffer;
  /** Until identity is asked which scopes the application has. */
  readonly scopes: readonly string[];
}

/** @returns false where the client application has an endpoint with this URL */
export async function insertEndpoint(manager: EntityManager, endpoint: NewEndpoint): Promise<boolean> {
  const { endpointId, clientId, tenantId, url, events, description, challenge, sealedSecret, scopes } =
    endpoint;
  const sql = `
    INSERT INTO token_gating.callback_endpoints
      (id, client_id, tenant_id, url, events, description, challenge, sealed_secret, scopes)
    VALUES ($1, $2, $3, $4, $5::text[], $6, $7, $8, $9::text[])
    ON CONFLICT ON CONSTRAINT callback_endpoints_url_key DO NOTHING RETURNING id`;
  const parameters = [
    ...[endpointId, clientId, tenantId, url, events, description, challenge, sealedSecret, scopes],
  ];
  return (await queryRows(manager, sql, parameters)).length > 0;
}

export interface EndpointChange {
  readonly url: string | undefined;
  readonly events: readonly EndpointEventType[] | undefined;
  readonly description: string | undefined;
}

const changedRows = z.array(
  z.object({ url: z.string(), challenge: z.string().nullable(), tenantId: z.string() }),
);

const IS_CHALLENGED = '($3::text IS NOT NULL AND ($3 <> e.url OR e.challenge IS NOT NULL))';

/**
 * Changes an endpoint. Another URL, and any URL of an endpoint that is not verified, needs the new challenge.
 * @returns the challenge that the receiver has to answer, null for a verified one; undefined where there is no such endpoint
 */
export async function updateEndpoint(
  manager: EntityManager,
  { clientId, endpointId }: EndpointKey,
  { url, events, description }: EndpointChange,
  challenge: string,
) {
  const sql = `
    UPDATE token_gating.callback_endpoints AS e
    SET url = coalesce($3, e.url), events = coalesce($4::text[], e.events), description = coalesce($5, e.description),
      challenge = CASE WHEN ${IS_CHALLENGED} THEN $6 ELSE e.challenge END,
      failing_since = CASE WHEN ${IS_CHALLENGED} THEN NULL ELSE e.failing_since END,
      failures = CASE WHEN ${IS_CHALLENGED} THEN 0 ELSE e.failures END
    WHERE e.client_id = $1 AND e.id = $2 RETURNING e.url, e.challenge, e.tenant_id AS "tenantId"`;
  const parameters = [clientId, endpointId, url ?? null, events ?? null, description ?? null, challenge];
  return changedRows.parse(await queryRows(manager, sql, parameters))[0];
}

/** Whether the client application has another endpoint with this URL. */
export async function hasOtherEndpointAt(
  db: Queryable,
  { clientId, endpointId }: EndpointKey,
  url: string,
): Promise<boolean> {
  const sql = `
    SELECT FROM token_gating.callback_endpoints WHERE client_id = $1 AND url = $2 AND id <> $3`;
  return (await queryRows(db, sql, [clientId, url, endpointId])).length > 0;
}

/**
 * The current secret signs on until `overlapMs` from now, beside the new one. While the previous one still signs, a rotation replaces the current
 * one alone, which receivers may not have taken up yet: the secret that they use is never ended early. @returns whether there is such an endpoint
 */
export async function rotateEndpointSecret(
  db: Queryable,
  { clientId, endpointId }: EndpointKey,
  sealed: Buffer,
  overlapMs: number,
): Promise<boolean> {
  const sql = `
    UPDATE token_gating.callback_endpoints
    SET sealed_secret = $3,
      sealed_previous_secret = CASE WHEN previous_secret_until > now() THEN sealed_previous_secret ELSE sealed_secret END,
      previous_secret_until =
        CASE WHEN previous_secret_until > now() THEN previous_secret_until ELSE now() + $4 * interval '1 ms' END
    WHERE client_id = $1 AND id = $2 RETURNING id`;
  return (await queryRows(db, sql, [clientId, endpointId, sealed, overlapMs])).length > 0;
}

/** Deletes previous secrets that sign no more. */
export async function deleteEndedSecrets(db: Queryable): Promise<void> {
  const sql = `
    UPDATE token_gating.callback_endpoints SET sealed_previous_secret = NULL, previous_secret_until = NULL
    WHERE previous_secret_until <= now()`;
  await queryRows(db, sql);
}

/** @returns whether there was one */
export async function deleteEndpoint(db: Queryable, { clientId, endpointId }: EndpointKey): Promise<boolean> {
  const sql = `DELETE FROM token_gating.callback_endpoints WHERE client_id = $1 AND id = $2 RETURNING id`;
  return (await queryRows(db, sql, [clientId, endpointId])).length > 0;
}

/** Ends a challenge, so that the endpoint gets events. */
export async function markEndpointVerified(
  db: Queryable,
  endpoint: { readonly endpointId: string; readonly url: string; readonly challenge: string },
): Promise<void> {
  const sql = `
    UPDATE token_gating.callback_endpoints SET challenge = NULL, disabled_at = NULL, failing_since = NULL, failures = 0
    WHERE id = $1 AND url = $2 AND challenge = $3`;
  await queryRows(db, sql, [endpoint.endpointId, endpoint.url, endpoint.challenge]);
}

/**
 * SQL condition: whether a delivery to an endpoint is still wanted: the challenge while it is the current one, an event while the endpoint is
 * verified at this URL and subscribed to it, and an event of a community while the client application is attached.
 */
export const createIsEndpointDeliveryWanted = (
  delivery: Record<'endpointId' | 'clientId' | 'url' | 'payload', string>,
): string => {
  const { endpointId, clientId, url, payload } = delivery;
  return `EXISTS (
    SELECT FROM token_gating.callback_endpoints AS e
    WHERE e.id = ${endpointId} AND e.client_id = ${clientId} AND e.url = ${url} AND e.suspended_at IS NULL
      AND e.challenge IS NOT DISTINCT FROM ${payload} ->> 'challenge'
      AND (${payload} ->> 'challenge' IS NOT NULL
        OR ${payload} -> 'event' ->> 'type' = '${TEST_EVENT}'
        OR (${payload} -> 'event' ->> 'type' = ANY (e.events) AND ${createHasScopeOf(`${payload} -> 'event' ->> 'type'`, 'e.scopes')}))
      AND (${payload} ->> 'eventCommunityId' IS NULL OR ${createIsAttached(`${payload} ->> 'eventCommunityId'`, 'e.client_id')}))`;
};

/** SQL condition: the scopes suffice for an event. An event that this release does not know is not sent. */
const createHasScopeOf = (type: string, scopes: string): string => {
  const cases = Object.entries(EVENT_SCOPES).map(
    ([event, scope]) => `WHEN '${event}' THEN ${scope === null ? 'true' : `'${scope}' = ANY (${scopes})`}`,
  );
  return `(CASE ${type} ${cases.join(' ')} ELSE false END)`;
};

/** A community for which no approved client application stands calls nobody back (docs/adr/0115). */
const createIsAttached = (communityId: string, clientId: string): string => `EXISTS (
  SELECT FROM token_gating.community_clients AS k JOIN token_gating.communities AS c ON c.id = k.community_id
  WHERE k.community_id = ${communityId} AND k.client_id = ${clientId} AND NOT c.without_application)`;

/**
 * SQL join: the endpoint `signing` whose secrets sign a delivery: the one it goes to, or the verified one of the application at the URL to
 * which a check is called back.
 */
export const createSigningJoin = (
  delivery: Record<'endpointId' | 'url', string>,
  check: Record<'clientId' | 'subject', string>,
): string => `
  LEFT JOIN token_gating.callback_endpoints AS signing ON signing.id = coalesce(${delivery.endpointId}, (
    SELECT called.id FROM token_gating.callback_endpoints AS called
    WHERE called.client_id = ${check.clientId} AND called.url = ${delivery.url} AND called.challenge IS NULL
      AND called.suspended_at IS NULL AND ${check.subject} IS NULL))`;

/** What happens is told to these endpoints. */
const listeningEndpoints = z.array(
  z.object({
    id: z.string(),
    clientId: z.string(),
    tenantId: z.string(),
    url: z.string(),
    events: z.array(z.string()),
    /** Empty for an event of the application itself. */
    communityId: z.string(),
  }),
);
export type ListeningEndpoint = z.output<typeof listeningEndpoints>[number];

const LISTENING = 'e.challenge IS NULL AND e.suspended_at IS NULL';
const LISTENING_COLUMNS = 'e.id, e.client_id AS "clientId", e.tenant_id AS "tenantId", e.url, e.events';

/** Whether any verified endpoint subscribes to at least one of these events. */
export async function isAnyEndpointListening(
  db: Queryable,
  types: readonly EndpointEventType[],
): Promise<boolean> {
  const sql = `
    SELECT FROM token_gating.callback_endpoints e WHERE ${LISTENING} AND e.events && $1::text[] LIMIT 1`;
  return (await queryRows(db, sql, [types])).length > 0;
}

/** The verified endpoints of client applications that subscribe to at least one of these events. */
export async function findEndpointsOfClients(
  db: Queryable,
  clientIds: readonly string[],
  types: readonly EndpointEventType[],
): Promise<ListeningEndpoint[]> {
  const sql = `
    SELECT ${LISTENING_COLUMNS}, '' AS "communityId" FROM token_gating.callback_endpoints e
    WHERE e.client_id = ANY($1::text[]) AND ${LISTENING} AND e.events && $2::text[]`;
  return listeningEndpoints.parse(await queryRows(db, sql, [clientIds, types]));
}

/** The verified endpoints of attached client applications that subscribe to at least one of these events. */
export async function findEndpointsOfCommunities(
  db: Queryable,
  communityIds: readonly string[],
  types: readonly EndpointEventType[],
): Promise<ListeningEndpoint[]> {
  const sql = `
    SELECT ${LISTENING_COLUMNS}, k.community_id AS "communityId"
    FROM token_gating.community_clients k JOIN token_gating.communities c ON c.id = k.community_id
    JOIN token_gating.callback_endpoints e ON e.client_id = k.client_id
    WHERE k.community_id = ANY($1::text[]) AND NOT c.without_application AND ${LISTENING} AND e.events && $2::text[]`;
  return listeningEndpoints.parse(await queryRows(db, sql, [communityIds, types]));
}

/** How an endpoint answered an attempt. */
export interface EndpointOutcome {
  readonly endpointId: string;
  /** Where it was sent: an answer of a URL before says nothing of the current one. */
  readonly url: string;
  /** Why the attempt failed; undefined where it succeeded. */
  readonly failure: string | undefined;
  /** The receiver wants nothing any more. */
  readonly isGone: boolean;
  /** An unanswered challenge disables nothing: the endpoint gets nothing anyway. */
  readonly isChallenge: boolean;
}

/** How long attempts may fail without a success before the endpoint is disabled. */
const DISABLE_AFTER = '1 day';
/** A quiet endpoint is not disabled for two failures that are a day apart. */
const MIN_FAILURES = 5;
/** Failures with a longer pause between them are counted anew. Retries pause for a day at most. */
const MAX_FAILURE_PAUSE = '2 days';
/** A success is written when the last one is older, so that a busy endpoint is not a row that every delivery updates. */
const SUCCESS_PRECISION = '10 seconds';

const IS_ENDED = `(free.counts AND free.is_verified AND (free.is_gone OR (NOT free.begins_anew
  AND e.failures + free.failures >= ${MIN_FAILURES} AND e.failing_since < now() - interval '${DISABLE_AFTER}')))`;

/**
 * Records how endpoints answered. A row that another instance is writing is left out, so that instances neither wait for each other nor
 * deadlock: the next attempt says the same.
 */
export async function recordEndpointOutcomes(
  db: Queryable,
  outcomes: readonly EndpointOutcome[],
  createChallenge: () => string,
): Promise<void> {
  const said = mergeOutcomes(outcomes);
  const sql = `
    WITH said AS (
      SELECT * FROM unnest($1::text[], $2::text[], $3::boolean[], $4::boolean[], $5::text[], $6::text[], $7::int[])
        AS said (id, failure, is_gone, is_challenge, challenge, url, failures)
    ), free AS (
      SELECT e.id, said.failure, said.is_gone, said.challenge, said.failures, e.challenge IS NULL AS is_verified,
        said.failure IS NOT NULL AND NOT said.is_challenge AS counts,
        coalesce(e.last_failure_at < now() - interval '${MAX_FAILURE_PAUSE}', false) AS begins_anew
      FROM token_gating.callback_endpoints e JOIN said ON said.id = e.id AND said.url = e.url
      WHERE said.failure IS NOT NULL OR e.failing_since IS NOT NULL OR e.last_success_at IS NULL
        OR e.last_success_at < now() - interval '${SUCCESS_PRECISION}'
      FOR UPDATE OF e SKIP LOCKED
    )
    UPDATE token_gating.callback_endpoints AS e
    SET last_success_at = CASE WHEN free.failure IS NULL THEN now() ELSE e.last_success_at END,
      last_failure_at = CASE WHEN free.failure IS NULL THEN e.last_failure_at ELSE now() END,
      last_failure = coalesce(free.failure, e.last_failure),
      failing_since = CASE WHEN free.failure IS NULL THEN NULL WHEN NOT free.counts THEN e.failing_since
        WHEN free.begins_anew THEN now() ELSE coalesce(e.failing_since, now()) END,
      failures = CASE WHEN free.failure IS NULL THEN 0 WHEN NOT free.counts THEN e.failures
        WHEN free.begins_anew THEN free.failures ELSE e.failures + free.failures END,
      disabled_at = CASE WHEN ${IS_ENDED} THEN now() ELSE e.disabled_at END,
      challenge = CASE WHEN ${IS_ENDED} THEN free.challenge ELSE e.challenge END
    FROM free WHERE e.id = free.id`;
  await queryRows(db, sql, [
    said.map(({ endpointId }) => endpointId),
    said.map(({ failure }) => failure ?? null),
    said.map(({ isGone }) => isGone),
    said.map(({ isChallenge }) => isChallenge),
    said.map(createChallenge),
    said.map(({ url }) => url),
    said.map(({ failures }) => failures),
  ]);
}

/** Outcomes of each endpoint and URL together: a 410 wins, then a success; otherwise failures are counted. */
export function mergeOutcomes(
  outcomes: readonly EndpointOutcome[],
): (EndpointOutcome & { readonly failures: number })[] {
  const groups = new Map<string, EndpointOutcome[]>();
  for (const outcome of outcomes) {
    const key = JSON.stringify([outcome.endpointId, outcome.url]);
    groups.set(key, [...(groups.get(key) ?? []), outcome]);
  }
  return [...groups.values()].flatMap((group) => {
    // Answers to events come first: a failed challenge disables nothing.
    const events = group.filter(({ isChallenge }) => !isChallenge);
    const merged =
      events.find(({ isGone }) => isGone) ??
      group.find(({ failure }) => failure === undefined) ??
      events[0] ??
      group[0];
    return merged ? [{ ...merged, failures: events.length }] : [];
  });
}

const clientRows = z.array(z.object({ clientId: z.string() }));

/** Client applications with endpoints, in the order of their ids. @param after the last one of the page before */
export async function listEndpointClients(db: Queryable, after: string, limit: number): Promise<string[]> {
  const sql = `
    SELECT DISTINCT client_id AS "clientId" FROM token_gating.callback_endpoints
    WHERE client_id > $1 ORDER BY client_id LIMIT $2`;
  return clientRows.parse(await queryRows(db, sql, [after, limit])).map(({ clientId }) => clientId);
}

/** What identity says of a client application. */
export interface ClientScopes {
  readonly clientId: string;
  /** Scopes that matter for endpoints. */
  readonly scopes: readonly string[];
}

const EVENTS_WITHOUT_SCOPE = Object.entries(EVENT_SCOPES).flatMap(([type, scope]) =>
  scope === null ? [type] : [],
);

/** SQL condition: the endpoint has nothing to be told while its application has no scope. */
const IS_SUSPENDED = `(said.scopes = '{}' AND NOT e.events && '{${EVENTS_WITHOUT_SCOPE.join(',')}}')`;

/**
 * Stores which scopes client applications have. The endpoints of those without any are suspended until they have one again, but for those that
 * are told of the application itself: of its first approval, too.
 */
export async function setEndpointScopes(db: Queryable, clients: readonly ClientScopes[]): Promise<void> {
  const sql = `
    UPDATE token_gating.callback_endpoints AS e
    SET scopes = said.scopes, absent_since = NULL,
      suspended_at = CASE WHEN ${IS_SUSPENDED} THEN coalesce(e.suspended_at, now()) END
    FROM (
      SELECT client_id, string_to_array(scopes, ' ') AS scopes FROM unnest($1::text[], $2::text[]) AS said (client_id, scopes)
    ) AS said
    WHERE e.client_id = said.client_id AND (e.scopes <> said.scopes OR e.absent_since IS NOT NULL
      OR (e.suspended_at IS NOT NULL) <> ${IS_SUSPENDED})`;
  const clientIds = clients.map(({ clientId }) => clientId);
  await queryRows(db, sql, [clientIds, clients.map(({ scopes }) => scopes.join(' '))]);
}

/** How long identity may miss an application before its endpoints are deleted: a restored backup of identity misses the newest. */
const DELETE_AFTER = '1 day';

/** Suspends the endpoints of client applications that identity does not know at once, and deletes them after a day of absence. */
export async function endEndpointsOfClients(db: Queryable, clientIds: readonly string[]): Promise<void> {
  if (clientIds.length === 0) return;
  const suspend = `
    UPDATE token_gating.callback_endpoints SET absent_since = now(), suspended_at = coalesce(suspended_at, now())
    WHERE client_id = ANY($1::text[]) AND absent_since IS NULL`;
  await queryRows(db, suspend, [clientIds]);
  const remove = `
    DELETE FROM token_gating.callback_endpoints
    WHERE client_id = ANY($1::text[]) AND absent_since < now() - interval '${DELETE_AFTER}'`;
  await queryRows(db, remove, [clientIds]);
}
