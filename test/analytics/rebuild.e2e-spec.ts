import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { StoredEvent } from '../../apps/analytics/src/ingest/events.queries.js';
import type { Database } from '@app/database';
import type { EntityManager } from 'typeorm';
import { eraseUser } from '../../apps/analytics/src/erasure/erasure-sweeper.js';
import { rememberErasedUser } from '../../apps/analytics/src/ingest/erasures.queries.js';
import {
  loadRoleDistribution,
  loadRolesAdded,
  loadUserInteractions,
  loadWalletConnections,
} from '../../apps/analytics/src/reports/reports.js';
import { hashMember } from '../../apps/analytics/src/rollups/distinct-sketch.js';
import { createReportPeriod } from '../../apps/analytics/src/time/report-period.js';
import { rebuildNumbers } from '../../apps/analytics/src/rebuild/rebuild-numbers.js';
import { bundleOf } from '../../scripts/build/bundle.mjs';
import { root } from '../../scripts/build/project.mjs';
import { queryDatabase } from '../identity/query-database.js';
import { IngestWorld } from './ingest-world.js';
import { deleted } from './event-world.js';

const DAY = 86_400_000;
const TODAY = Math.floor(Date.now() / DAY) * DAY;
const TYPES = [
  ...['member.joined', 'member.left', 'member.checked', 'role.granted', 'role.revoked'],
  ...['wallet.linked', 'wallet.unlinked', 'member.signed_in', 'member.reported'],
  ...['repair.joined', 'repair.left', 'repair.granted', 'repair.revoked', 'repair.linked', 'repair.unlinked'],
] as const;

/** Types of events that other apps publish. */
const PUBLISHED_TYPES = TYPES.filter((type) => !type.startsWith('repair.'));

let world: IngestWorld;

beforeAll(async () => {
  world = await IngestWorld.start();
});

afterAll(async () => {
  await world.stop();
});

const aCommunity = (): string => `community_${randomUUID()}`;

/** Events in the last 60 days, of few users, roles and wallets, so that states repeat and are late. */
const createEvents = (
  communityId: string,
  count: number,
  types: readonly StoredEvent['type'][] = TYPES,
): StoredEvent[] =>
  Array.from({ length: count }, () => {
    const pick = (size: number): number => Math.floor(Math.random() * size);
    const at = new Date(TODAY - pick(60 * 96) * 900_000 - pick(2) * 1_000).toISOString();
    const base = { id: randomUUID(), at, communityId, userId: `user_${pick(5)}` };
    const type = types[pick(types.length)] ?? 'member.left';
    if (type.startsWith('role.') || /repair.(granted|revoked)/.test(type))
      return { ...base, type, roleId: `role_${pick(2)}` } as StoredEvent;
    if (type.startsWith('wallet.') || type.endsWith('linked'))
      return { ...base, type, accountId: `eip155:1:0x${pick(2)}` } as StoredEvent;
    return { ...base, type } as StoredEvent;
  });

const ingest = (events: readonly StoredEvent[], jobSize = 40): Promise<void> =>
  world.ingest(
    Array.from({ length: Math.ceil(events.length / jobSize) }, (_, job) =>
      events.slice(job * jobSize, (job + 1) * jobSize),
    ),
  );

/** All rows of numbers, without counters that are zero again. */
async function loadNumbers(communityId: string): Promise<Record<string, unknown[]>> {
  const zero = 'SELECT bool_and(total = 0) FROM unnest(running_totals) AS total';
  const queries = {
    event_counts: `SELECT kind, role_id, day::text, running_totals FROM analytics.event_counts
      WHERE community_id = $1 AND NOT (${zero}) ORDER BY 1, 2, 3`,
    state_intervals: `SELECT kind, user_id, key, from_at::text, ended, until_at::text, change
      FROM analytics.state_intervals WHERE community_id = $1 ORDER BY 1, 2, 3, 4, 5`,
    user_sketches: `SELECT span, begin_at::text, encode(sketch, 'hex') AS sketch
      FROM analytics.user_sketches WHERE community_id = $1 ORDER BY 1, 2`,
  };
  const numbers: Record<string, unknown[]> = {};
  for (const [table, sql] of Object.entries(queries))
    numbers[table] = await queryDatabase(world.url, sql, [communityId]);
  return numbers;
}

const rebuild = (communityId: string) =>
  world.database.transaction((manager) => rebuildNumbers(manager, communityId));

it('T103: rebuild: numbers that are rebuilt equal those that were kept, also of events that arrive meanwhile', async () => {
  const [communityId, other] = [aCommunity(), aCommunity()];
  await ingest(
    [...createEvents(communityId, 600), ...createEvents(other, 100)].sort(() => Math.random() - 0.5),
  );
  const [kept, others] = [await loadNumbers(communityId), await loadNumbers(other)];
  expect(await rebuild(communityId)).toMatchObject({ events: 600 });
  expect(await loadNumbers(communityId)).toEqual(kept);

  for (const damage of [
    'UPDATE analytics.event_counts SET running_totals = array_fill(7, ARRAY[96]) WHERE community_id = $1',
    `UPDATE analytics.state_intervals SET until_at = from_at, change = 1 WHERE community_id = $1`,
    'DELETE FROM analytics.user_sketches WHERE community_id = $1',
  ])
    await queryDatabase(world.url, damage, [communityId]);
  await rebuild(communityId);
  expect(await loadNumbers(communityId)).toEqual(kept);
  expect(await loadNumbers(other)).toEqual(others);

  await Promise.all([ingest(createEvents(communityId, 400), 10), rebuild(communityId), rebuild(communityId)]);
  const after = await loadNumbers(communityId);
  expect(await rebuild(communityId)).toMatchObject({ events: 1_000 });
  expect(await loadNumbers(communityId)).toEqual(after);
});

/** What reports say of the last 60 days: rows of each kind, and who has what at their end. */
async function loadReports(communityId: string): Promise<unknown[]> {
  const range = `${new Date(TODAY - 60 * DAY).toISOString()}/${new Date(TODAY + DAY).toISOString()}`;
  const period = createReportPeriod({ range, interval: 'day' }, { now: Date.now(), firstEventAt: undefined });
  const report = { communityId, period, currentRoles: [], chosenRoles: undefined };
  const loads = [loadUserInteractions, loadWalletConnections, loadRolesAdded, loadRoleDistribution];
  return Promise.all(loads.map((load) => load(world.database, report)));
}

const EVENTS_PER_SLICE = 10;

/** The database of the world, which is away from some transaction on. */
function failAfter(limit: number) {
  let transactions = 0;
  const database = Object.create(world.database, {
    transaction: {
      value: <T>(work: (manager: EntityManager) => Promise<T>): Promise<T> => {
        transactions += 1;
        return transactions > limit ? Promise.reject(new Error('down')) : world.database.transaction(work);
      },
    },
  }) as Database;
  return { database, transactions: () => transactions };
}

const listNames = async (communityId: string): Promise<string[]> => {
  const sql = 'SELECT DISTINCT user_id AS name FROM analytics.events WHERE community_id = $1 ORDER BY 1';
  return ((await queryDatabase(world.url, sql, [communityId])) as { name: string }[]).map(({ name }) => name);
};

it('T172: rebuild: numbers stay equal when users are erased, and nothing names them any more', async () => {
  const [communityId, other] = [aCommunity(), aCommunity()];
  // Users of this test alone, because an erasure is of all communities.
  const events = createEvents(communityId, 600).map((event) => ({
    ...event,
    userId: `some_${event.userId}`,
  }));
  await ingest([...events, ...createEvents(other, 100)]);
  const [before, others] = [await loadReports(communityId), await loadNumbers(other)];
  await rememberErasedUser(world.database, 'some_user_1');
  const userId = 'some_user_1';
  // A transaction that had not seen the erasure.
  const storeLate = (id: string) =>
    queryDatabase(
      world.url,
      `INSERT INTO analytics.events (id, type, at, community_id, user_id) VALUES ($1, 'member.checked', $2, $3, $4)`,
      [id, new Date(TODAY - 90 * DAY).toISOString(), communityId, userId],
    );
  const failing = failAfter(40);
  await expect(eraseUser(failing.database, { communityId, userId }, EVENTS_PER_SLICE)).rejects.toThrow(
    'down',
  );
  // The user is replaced in some events, and not yet in others.
  expect(await listNames(communityId)).toHaveLength(6);
  expect(await listNames(communityId)).toContain(userId);
  expect(await loadReports(communityId)).toEqual(before);
  await expect(rebuild(communityId)).rejects.toThrow('is being erased');
  const resumed = failAfter(Infinity);
  await eraseUser(resumed.database, { communityId, userId }, EVENTS_PER_SLICE);
  // A whole erasure takes some 80 transactions to read all slices and partitions; what the first attempt read is not read again.
  expect(resumed.transactions()).toBeLessThan(60);
  const late = randomUUID();
  await storeLate(late);
  await eraseUser(world.database, { communityId, userId });
  await eraseUser(world.database, { communityId, userId: 'user_none' });
  // The event was never counted.
  const renamed = await queryDatabase(
    world.url,
    'DELETE FROM analytics.events WHERE id = $1 RETURNING user_id AS name',
    [late],
  );
  expect(renamed).toEqual([{ name: (await listNames(communityId))[0] }]);
  expect(await loadReports(communityId)).toEqual(before);
  expect(await loadNumbers(other)).toEqual(others);
  const [pseudonym, ...named] = await listNames(communityId);
  expect(pseudonym).toMatch(/^erased_[0-9A-Za-z]{22}$/);
  expect(named).toEqual(['some_user_0', 'some_user_2', 'some_user_3', 'some_user_4']);
  const hash = hashMember('some_user_1').toString('hex');
  const { user_sketches, state_intervals } = await loadNumbers(communityId);
  expect(JSON.stringify(user_sketches)).not.toContain(hash);
  expect(JSON.stringify(state_intervals)).not.toContain('some_user_1');
  const wallets = await queryDatabase(
    world.url,
    `SELECT account_id AS id FROM analytics.events WHERE user_id = $1 AND account_id IS NOT NULL
     UNION SELECT key FROM analytics.state_intervals WHERE user_id = $1 AND kind = 'wallet'`,
    [pseudonym],
  );
  // Both wallets of the user are still two.
  expect(wallets).toHaveLength(2);
  for (const { id } of wallets as { id: string }[]) expect(id).toMatch(/^erased:[0-9a-f]{64}$/);
  await rebuild(communityId);
  expect(await loadReports(communityId)).toEqual(before);

  // What arrives later of an erased user counts nowhere, also where the user was not known.
  await ingest([
    ...createEvents(communityId, 50).map((event) => ({ ...event, userId: 'some_user_1' })),
    ...createEvents(other, 50).map((event) => ({ ...event, userId: 'some_user_1' })),
  ]);
  expect(await loadReports(communityId)).toEqual(before);
  expect(await loadNumbers(other)).toEqual(others);
  const at = new Date(TODAY - DAY).toISOString();
  await ingest([{ id: randomUUID(), type: 'member.reported', at, communityId, userId: 'some_user_2' }]);
  expect(await loadReports(communityId)).not.toEqual(before);
});

it('T103: rebuild: numbers of days whose events are not complete stay as they are', async () => {
  const communityId = aCommunity();
  await ingest(createEvents(communityId, 600));
  const kept = await loadNumbers(communityId);
  const from = new Date(TODAY - 30 * DAY);
  await queryDatabase(world.url, 'DELETE FROM analytics.events WHERE community_id = $1 AND at < $2', [
    communityId,
    from.toISOString(),
  ]);
  // The time is noted as by the removal of a partition, in the middle of the day before.
  const [before] = await queryDatabase(world.url, 'SELECT from_at FROM analytics.complete_events');
  await queryDatabase(world.url, 'UPDATE analytics.complete_events SET from_at = $1', [
    new Date(TODAY - 30.5 * DAY).toISOString(),
  ]);
  expect(await rebuild(communityId)).toMatchObject({ from: from.toISOString().slice(0, 10) });
  expect(await loadNumbers(communityId)).toEqual(kept);
  const { from_at: earlier } = before as { from_at: Date };
  await queryDatabase(world.url, 'UPDATE analytics.complete_events SET from_at = $1', [
    earlier.toISOString(),
  ]);
});

/** Runs the built command. */
const run = (args: string[], input = ''): Promise<{ code: number; output: string }> =>
  new Promise((resolve) => {
    const command = bundleOf(root, 'analytics', 'analytics.command.js');
    const env = { NODE_ENV: 'test', DATABASE_URL: world.url, PATH: process.env.PATH };
    const child = execFile(process.execPath, [command, ...args], { env }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, output: stdout + stderr });
    });
    child.stdin?.end(input);
  });

it('rebuild: the command imports a history once, marked as demo, and rebuilds it', async () => {
  const communityId = aCommunity();
  const events = createEvents(communityId, 700, PUBLISHED_TYPES);
  const old = {
    ...createEvents(communityId, 1, PUBLISHED_TYPES)[0],
    at: new Date(TODAY - 500 * DAY).toISOString(),
  };
  const input = [...events, old].map((event) => `${JSON.stringify(event)}\n`).join('');
  const backfill = (text: string) => run(['backfill', '--community', communityId], text);
  expect(await backfill(input)).toEqual({
    code: 0,
    output: 'Imported 700 events. Dropped 1 that are too old, and 0 in the future.\n',
  });
  const numbers = await loadNumbers(communityId);
  expect((await backfill(input)).output).toContain('Imported 0 events.');
  const demo = 'SELECT DISTINCT is_demo FROM analytics.events WHERE community_id = $1';
  expect(await queryDatabase(world.url, demo, [communityId])).toEqual([{ is_demo: true }]);
  expect(await run(['rebuild', '--community', communityId])).toMatchObject({
    code: 0,
    output: expect.stringMatching(/^Rebuilt \d+ days since [\d-]+ from 700 events\.\n$/),
  });
  expect(await loadNumbers(communityId)).toEqual(numbers);

  expect(await run(['backfill', '--community', communityId, '--file', '/nowhere'])).toMatchObject({
    code: 1,
  });
  const [event] = events;
  for (const [text, reason] of [
    ['{', 'Line 1: is not JSON'],
    [`${JSON.stringify(event)}\n{"type":"member.joined"}`, 'Line 2: id '],
    [JSON.stringify({ ...event, communityId: 'another' }), 'Line 1: is an event of another'],
    [JSON.stringify(deleted(communityId)), 'Line 1: community.deleted cannot be imported'],
  ] as const)
    expect(await backfill(text)).toEqual({ code: 65, output: expect.stringContaining(reason) });
  for (const args of [[], ['rebuild'], ['erase', '--community', 'c'], ['rebuild', '--all']])
    expect(await run(args)).toMatchObject({ code: 64 });
  expect(await run(['rebuild', '--community', aCommunity()])).toMatchObject({ code: 1 });
});
