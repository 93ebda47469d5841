import { randomBytes } from 'node:crypto';
import { seedCommunity } from '../../test/support/seeded-communities.mjs';

export const ROLE_IDS = ['role_1', 'role_2', 'role_3', 'role_4', 'role_5'];
const DAYS = 400;
const QUARTERS_PER_DAY = 96;
/** Events that the reports of this bench read, and the changes of the number of wallets. */
const KINDS_WITHOUT_ROLE = [
  'member.joined',
  'member.left',
  'member.checked',
  'wallet.linked',
  'wallet.unlinked',
];
const COUNTERS_PER_DAY = KINDS_WITHOUT_ROLE.length + 2 * ROLE_IDS.length;
const MEMBERS = 1_000;
const EXACT_SKETCH = 1;
const HASH_BYTES = 8;

const ROLES = `
  INSERT INTO token_gating.community_roles (community_id, id, name, position)
  SELECT $1, id, id, position FROM unnest($2::text[]) WITH ORDINALITY AS role (id, position)`;

const COUNTS = `
  INSERT INTO analytics.event_counts (community_id, kind, role_id, day, running_totals)
  SELECT $1, kind, role_id, (now() AT TIME ZONE 'UTC')::date - day,
    ARRAY(SELECT quarter * $3::int / ${QUARTERS_PER_DAY} FROM generate_series(1, ${QUARTERS_PER_DAY}) AS quarter)
  FROM generate_series(0, $2::int) AS day, (
    SELECT kind, '' AS role_id FROM unnest($4::text[] || 'wallet.pairs'::text) AS kind
    UNION ALL SELECT kind, role_id FROM unnest(ARRAY['role.granted', 'role.revoked']) AS kind, unnest($5::text[]) AS role_id
  ) AS kinds`;

/** Members: as many as there are now, and for each hundred events one that has left. */
const STATES = `
  INSERT INTO analytics.state_intervals (community_id, kind, user_id, key, from_at, ended, until_at, change)
  SELECT $1, kind, 'user_' || n, key, begin_at, false,
    CASE WHEN n <= $2::int THEN 'infinity' ELSE begin_at + interval '1 hour' END, 1
  FROM (VALUES ('membership', ''), ('role', 'role_1')) AS k (kind, key), generate_series(1, $2::int + $3::int / 100) AS n,
    LATERAL (SELECT now() - interval '300 days' + n * interval '1 minute' AS begin_at) AS t`;

const SKETCHES = `
  INSERT INTO analytics.user_sketches (community_id, span, begin_at, sketch)
  SELECT $1, ${QUARTERS_PER_DAY}, (date_trunc('day', now() AT TIME ZONE 'UTC') - day * interval '1 day') AT TIME ZONE 'UTC', $3
  FROM generate_series(0, $2::int) AS day`;

/** The raw events, which no report reads. */
const EVENTS = `
  INSERT INTO analytics.events (id, type, at, community_id, user_id)
  SELECT gen_random_uuid(), 'member.checked', now() - n * (interval '360 days' / $2::int), $1, 'user_' || n % 1000
  FROM generate_series(1, $2::int) AS n`;

/**
 * A community with the numbers that its events would leave in 400 days, spread evenly.
 * @param {import('pg').Pool} sql
 * @param {{ id: string, clientId: string, events: number, activeMembers: number, withEvents?: boolean }} community
 *   `activeMembers` are the distinct members of a day; `withEvents` stores the events, too
 */
export async function fillCommunity(sql, { id, clientId, events, activeMembers, withEvents = false }) {
  await seedCommunity(sql, { id, members: 0, rules: [], clientId });
  await sql.query(ROLES, [id, ROLE_IDS]);
  const perDay = Math.max(1, Math.round(events / DAYS / COUNTERS_PER_DAY));
  await sql.query(COUNTS, [id, DAYS, perDay, KINDS_WITHOUT_ROLE, ROLE_IDS]);
  await sql.query(STATES, [id, MEMBERS, events]);
  const hashes = Array.from({ length: activeMembers }, () => randomBytes(HASH_BYTES)).sort(Buffer.compare);
  await sql.query(SKETCHES, [id, DAYS, Buffer.concat([Buffer.of(EXACT_SKETCH), ...hashes])]);
  if (withEvents) await sql.query(EVENTS, [id, events]);
}
