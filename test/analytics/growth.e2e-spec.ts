import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  type Report,
  loadRoleDistribution,
  loadRolesAdded,
  loadUserInteractions,
  loadWalletConnections,
} from '../../apps/analytics/src/reports/reports.js';
import { createReportPeriod } from '../../apps/analytics/src/time/report-period.js';
import { queryDatabase } from '../identity/query-database.js';
import { IngestWorld } from './ingest-world.js';

const communityId = `community_${randomUUID()}`;
const now = Date.now();
const KEPT_DAYS = 800;
const ROLES = 20;
const MEMBERS = 1_000;
const ACTIVE_QUARTERS = 366 * 96;

let world: IngestWorld;

/** What ten million events would leave: counts, states of which few are open, and a sketch for each quarter-hour. */
beforeAll(async () => {
  world = await IngestWorld.start(1);
  const fill = (sql: string, ...more: unknown[]) =>
    queryDatabase(world.url, sql, [communityId, new Date(now).toISOString(), ...more]);
  await fill(
    `INSERT INTO analytics.event_counts (community_id, kind, role_id, day, running_totals)
     SELECT $1, kind, role_id, $2::timestamptz::date - day, array_fill(1, ARRAY[96])
     FROM generate_series(0, $3::int - 1) AS day, (
       SELECT unnest(ARRAY['member.joined', 'member.left', 'member.checked', 'wallet.linked', 'wallet.unlinked',
         'wallet.pairs']) AS kind, '' AS role_id
       UNION ALL SELECT kind, 'role_' || role FROM unnest(ARRAY['role.granted', 'role.revoked']) AS kind,
         generate_series(1, $4::int) AS role
     ) AS kinds`,
    KEPT_DAYS,
    ROLES,
  );
  await fill(
    `INSERT INTO analytics.state_intervals (community_id, kind, user_id, key, from_at, ended, until_at, change)
     SELECT $1, kind, 'user_' || n, key, begin_at, false,
       CASE WHEN n <= $3::int THEN 'infinity' ELSE begin_at + interval '1 hour' END, 1
     FROM (VALUES ('membership', ''), ('role', 'role_1'), ('wallet', 'eip155:1:0xa')) AS k (kind, key),
       generate_series(1, 100000) AS n,
       LATERAL (SELECT $2::timestamptz - interval '300 days' + n * interval '1 minute' AS begin_at) AS t`,
    MEMBERS,
  );
  await fill(
    `INSERT INTO analytics.user_sketches (community_id, span, begin_at, sketch)
     SELECT $1, span, date_trunc('day', $2::timestamptz AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' + interval '1 day'
       - n * span * interval '15 minutes', '\\x010102030405060708'
     FROM (VALUES (1), (96)) AS s (span), generate_series(1, $3::int) AS n WHERE n * span <= $3::int`,
    ACTIVE_QUARTERS,
  );
  await queryDatabase(world.url, 'ANALYZE');
});

afterAll(async () => {
  await world.stop();
});

const yearByDay = (chosen?: string[]): Report => ({
  communityId,
  period: createReportPeriod({ range: '1y', interval: 'day' }, { now, firstEventAt: undefined }),
  currentRoles: [],
  chosenRoles: chosen?.map((id) => ({ id, name: id, color: 1 })),
});

it('T104: reports: reports of a large community read the rows of their range, and no events', async () => {
  const report = yearByDay(['role_1', 'role_2', 'role_3', 'role_4', 'role_5']);
  const perYear = report.period.edges.length - 1;
  expect(perYear).toBeLessThanOrEqual(367);

  const rolesAdded = await world.countRowsRead((database) => loadRolesAdded(database, report));
  expect(Object.keys(rolesAdded)).toEqual(['event_counts']);
  expect(rolesAdded['event_counts']).toBeLessThanOrEqual(2 * 5 * perYear);

  const wallets = await world.countRowsRead((database) => loadWalletConnections(database, report));
  expect(Object.keys(wallets)).toEqual(['event_counts']);
  expect(wallets['event_counts']).toBeLessThanOrEqual(3 * perYear + KEPT_DAYS);

  const interactions = await world.countRowsRead((database) => loadUserInteractions(database, report));
  expect(Object.keys(interactions).sort()).toEqual(['event_counts', 'user_sketches']);
  expect(interactions['event_counts']).toBeLessThanOrEqual(4 * perYear);
  expect(interactions['user_sketches']).toBeLessThanOrEqual(perYear);

  const distribution = await world.countRowsRead((database) => loadRoleDistribution(database, report));
  expect(Object.keys(distribution)).toEqual(['state_intervals']);
  expect(distribution['state_intervals']).toBeLessThanOrEqual(2 * MEMBERS);
});
