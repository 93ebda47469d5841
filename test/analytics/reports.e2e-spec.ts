import { randomUUID } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Database } from '@app/database';
import fc from 'fast-check';
import type { StoredEvent } from '../../apps/analytics/src/ingest/events.queries.js';
import {
  type Report,
  loadRoleDistribution,
  loadRolesAdded,
  loadUserInteractions,
  loadWalletConnections,
} from '../../apps/analytics/src/reports/reports.js';
import { REPAIR_TYPES } from '../../apps/analytics/src/rollups/repair-event.js';
import { DistinctSketch, hashMember } from '../../apps/analytics/src/rollups/distinct-sketch.js';
import { countUsersByBucket } from '../../apps/analytics/src/rollups/user-sketches.queries.js';
import { createReportPeriod } from '../../apps/analytics/src/time/report-period.js';
import { queryDatabase } from '../identity/query-database.js';
import { until } from '../support/until.js';
import { IngestWorld } from './ingest-world.js';
import { ReportModel } from './report-model.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const QUARTER = 900_000;
const DAY = 96 * QUARTER;
/** Months that are kept whenever the tests run, and in which no day is special. */
const START = Math.floor(Date.now() / DAY) * DAY - 300 * DAY;
const ZONES = ['UTC', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'America/New_York'];
const ROLES = ['whale', 'collector', 'none'];

const aCommunity = (): string => `community_${randomUUID().replaceAll('-', '').slice(0, 22)}`;

describe('reports', () => {
  let world: IngestWorld;

  beforeAll(async () => {
    world = await IngestWorld.start();
  });

  afterAll(async () => {
    await world.stop();
  });

  const reportOf = (communityId: string, range: string, interval: string, timeZone: string): Report => ({
    communityId,
    period: createReportPeriod({ range, interval, timeZone }, { now: Date.now(), firstEventAt: undefined }),
    currentRoles: ROLES.map((id) => ({ id, name: id.toUpperCase(), color: 1 })),
    chosenRoles: undefined,
  });

  /** Compares all reports with what a plain list of the events says. */
  const expectLikeModel = async (report: Report, model: ReportModel): Promise<void> => {
    const { edges } = report.period;
    const buckets = edges.slice(1).map((end, index) => [edges[index] ?? end, end] as const);
    const { database } = world;

    const wallets = await loadWalletConnections(database, report);
    expect(wallets.map(({ connected, disconnected, total }) => [connected, disconnected, total])).toEqual(
      buckets.map(([begin, end]) => [
        model.count('wallet.linked', begin, end),
        model.count('wallet.unlinked', begin, end),
        model.holders('wallet', end).length,
      ]),
    );

    const interactions = await loadUserInteractions(database, report);
    expect(
      interactions.map(({ users, kinds }) => [
        users,
        kinds.joined,
        kinds.left,
        kinds.signedIn,
        kinds.reported,
        kinds.checked,
        kinds.walletLinked,
      ]),
    ).toEqual(
      buckets.map(([begin, end]) => [
        model.users(begin, end),
        model.count('member.joined', begin, end),
        model.count('member.left', begin, end),
        model.count('member.signed_in', begin, end),
        model.count('member.reported', begin, end),
        model.count('member.checked', begin, end),
        model.count('wallet.linked', begin, end),
      ]),
    );

    const roles = await loadRolesAdded(database, report);
    expect(roles.map((row) => row.roles.map(({ id, added, removed }) => [id, added, removed]))).toEqual(
      buckets.map(([begin, end]) =>
        ROLES.map((id) => [
          id,
          model.count('role.granted', begin, end, id),
          model.count('role.revoked', begin, end, id),
        ]),
      ),
    );

    const end = edges.at(-1) ?? 0;
    for (const chosen of [undefined, ['whale']]) {
      const chosenRoles = chosen?.map((id) => ({ id, name: 'Mine', color: 7 }));
      const rows = await loadRoleDistribution(database, { ...report, chosenRoles });
      const members = new Set(model.holders('membership', end).map(([userId]) => userId));
      const held = model
        .holders('role', end)
        .filter(([userId, id]) => members.has(userId) && (chosen?.includes(id) ?? true));
      const expected = (chosen ?? ROLES).map((id) => [id, held.filter(([, role]) => role === id).length]);
      const withoutRole = members.size - new Set(held.map(([userId]) => userId)).size;
      const counts = rows.map(({ id, count }) => [id, count]);
      expect(counts.pop()).toEqual(['none', withoutRole]);
      expect(counts.sort()).toEqual(expected.sort());
      for (const { count, share } of rows) expect(share).toBe(members.size === 0 ? 0 : count / members.size);
      if (chosen) expect(rows[0]).toMatchObject({ name: 'Mine', color: 7 });
    }
  };

  const anEvent = (communityId: string): fc.Arbitrary<StoredEvent> =>
    fc
      .record({
        type: fc.constantFrom(
          'member.joined',
          'member.left',
          'member.checked',
          'member.signed_in',
          'member.reported',
          'role.granted',
          'role.revoked',
          'wallet.linked',
          'wallet.unlinked',
          ...Object.values(REPAIR_TYPES).flatMap(({ begin, end }) => [begin, end]),
        ),
        userId: fc.constantFrom('ann', 'bob', 'eve'),
        roleId: fc.constantFrom(...ROLES),
        accountId: fc.constantFrom('eip155:1:0xa', 'eip155:1:0xb'),
        // Often at the same time as another one, and on edges.
        at: fc.oneof(
          fc.integer({ min: 0, max: 12 }).map((quarters) => START + quarters * 8 * QUARTER),
          fc.integer({ min: 0, max: 3 * DAY }).map((offset) => START + offset),
          fc.integer({ min: 0, max: 40 }).map((days) => START + days * DAY),
        ),
      })
      .map(({ type, userId, roleId, accountId, at }) => {
        const base = { id: randomUUID(), at: new Date(at).toISOString(), communityId, userId };
        if (type === 'repair.granted' || type === 'repair.revoked') return { ...base, type, roleId };
        if (type === 'repair.linked' || type === 'repair.unlinked') return { ...base, type, accountId };
        if (type === 'role.granted' || type === 'role.revoked') return { ...base, type, roleId };
        if (type === 'wallet.linked' || type === 'wallet.unlinked') return { ...base, type, accountId };
        return { ...base, type };
      });

  it('T85: reports: say the same of doubled events in any order, from two replicas at once, as a plain list of them', async () => {
    const [one, other] = ['one', 'other'];
    const history = fc.array(fc.oneof(anEvent(one), anEvent(other)), { minLength: 1, maxLength: 120 });
    await fc.assert(
      fc.asyncProperty(
        history,
        fc.array(fc.nat(), { minLength: 240, maxLength: 240 }),
        fc.integer({ min: 1, max: 40 }),
        fc.constantFrom(...ZONES),
        async (templates, order, jobSize, timeZone) => {
          const ids = new Map([one, other].map((name) => [name, aCommunity()]));
          const events = templates.map((event) => ({
            ...event,
            id: randomUUID(),
            communityId: ids.get(event.communityId) ?? '',
          }));
          const doubled = [...events, ...events]
            .map((event, index) => ({ event, rank: order[index] ?? 0 }))
            .sort((a, b) => a.rank - b.rank)
            .map(({ event }) => event);
          const jobs: StoredEvent[][] = [];
          for (let at = 0; at < doubled.length; at += jobSize) jobs.push(doubled.slice(at, at + jobSize));
          await world.ingest(jobs);
          const [from, until] = [START + 3 * QUARTER, START + 45 * DAY].map((time) =>
            new Date(time).toISOString(),
          );
          for (const communityId of ids.values()) {
            const model = new ReportModel(events.filter((event) => event.communityId === communityId));
            for (const interval of ['day', 'week', 'month'])
              await expectLikeModel(reportOf(communityId, `${from}/${until}`, interval, timeZone), model);
            const hours = `${new Date(START).toISOString()}/${new Date(START + 2 * DAY).toISOString()}`;
            await expectLikeModel(reportOf(communityId, hours, 'hour', timeZone), model);
          }
        },
      ),
      { numRuns: 25 },
    );
  });

  it('reports: sum up to the total of the range for what counts events, and merge users within their bound', async () => {
    const communityId = aCommunity();
    const events = Array.from({ length: 6_000 }, (_, index): StoredEvent => ({
      id: randomUUID(),
      at: new Date(START + (index % 4) * DAY + (index % 96) * QUARTER).toISOString(),
      communityId,
      userId: `user_${index % 2_500}`,
      type: 'member.joined',
    }));
    const jobs = Array.from({ length: 12 }, (_, index) => events.slice(index * 500, (index + 1) * 500));
    await world.ingest(jobs);
    const range = `${new Date(START).toISOString()}/${new Date(START + 4 * DAY).toISOString()}`;
    const model = new ReportModel(events);
    for (const timeZone of ['UTC', 'Asia/Kathmandu']) {
      const rows = await loadUserInteractions(world.database, reportOf(communityId, range, 'day', timeZone));
      expect(rows.reduce((sum, { interactions }) => sum + interactions, 0)).toBe(6_000);
      const { edges } = reportOf(communityId, range, 'day', timeZone).period;
      rows.forEach(({ users }, index) => {
        const exact = model.users(edges[index] ?? 0, edges[index + 1] ?? 0);
        expect(Math.abs(users - exact)).toBeLessThanOrEqual(exact > 1_000 ? 0.03 * exact : 0);
      });
    }
  });

  it('T101: reports: hold the sketches of a few buckets at a time', async () => {
    const communityId = aCommunity();
    const days = 4_000;
    const sketch = DistinctSketch.create();
    for (let user = 0; user < 2_000; user += 1) sketch.add(hashMember(`user_${user}`));
    await queryDatabase(
      world.url,
      `INSERT INTO analytics.user_sketches (community_id, span, begin_at, sketch)
       SELECT $1, 96, '2015-01-01T00:00Z'::timestamptz + n * interval '24 hours', $2 FROM generate_series(0, $3) AS n`,
      [communityId, sketch.encode(), days - 1],
    );
    const edges = Array.from({ length: days + 1 }, (_, day) => Date.UTC(2015, 0, 1 + day));
    const measureBuffers = (): number => {
      collectGarbage();
      return process.memoryUsage().arrayBuffers;
    };
    const before = measureBuffers();
    let statements = 0;
    const database = Object.create(world.database, {
      query: {
        value: async (sql: string, parameters?: unknown[]) => {
          statements += 1;
          // Buffers are freed some time after a collection. All sketches would be 62 MiB.
          await until('sketches are freed', () => measureBuffers() - before < 24 * 2 ** 20);
          return world.database.query(sql, parameters);
        },
      },
    }) as Database;
    const users = await countUsersByBucket(database, communityId, edges);
    expect(new Set(users)).toEqual(new Set([sketch.count()]));
    expect(users).toHaveLength(days);
    expect(statements).toBe(16);
  });

  it('reports: count wallets of which only the end or the first comparison is known', async () => {
    const communityId = aCommunity();
    const at = (day: number): string => new Date(START + day * DAY).toISOString();
    const base = { communityId, userId: 'user_1' };
    await world.ingest([
      [
        { id: randomUUID(), ...base, type: 'wallet.unlinked', accountId: 'eip155:1:0xa', at: at(1) },
        { id: randomUUID(), ...base, type: 'repair.linked', accountId: 'eip155:1:0xb', at: at(2) },
        { id: randomUUID(), ...base, type: 'wallet.unlinked', accountId: 'eip155:1:0xb', at: at(3) },
      ],
    ]);
    const rows = await loadWalletConnections(
      world.database,
      reportOf(communityId, `${at(0)}/${at(4)}`, 'day', 'UTC'),
    );
    expect(rows.map(({ connected, disconnected, total }) => [connected, disconnected, total])).toEqual([
      [0, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
      [0, 1, 0],
    ]);
  });

  it('reports before the first event: are zeros', async () => {
    const range = '2015-01-01/2015-02-01';
    const rows = await loadWalletConnections(world.database, reportOf(aCommunity(), range, 'day', 'UTC'));
    expect(rows).toHaveLength(31);
    expect(rows[0]).toEqual({ date: '2015-01-01T00:00:00Z', connected: 0, disconnected: 0, total: 0 });
  });
});
