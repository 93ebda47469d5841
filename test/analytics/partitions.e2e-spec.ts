import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { queryRows } from '@app/database';
import type { EntityManager } from 'typeorm';
import {
  createPartition,
  dropPartition,
  listPartitions,
  tryLockPartitions,
  unlockPartitions,
} from '../../apps/analytics/src/ingest/event-partitions.queries.js';
import { planPartitions } from '../../apps/analytics/src/ingest/plan-partitions.js';
import { loadUserInteractions } from '../../apps/analytics/src/reports/reports.js';
import { createReportPeriod } from '../../apps/analytics/src/time/report-period.js';
import { queryDatabase } from '../identity/query-database.js';
import { IngestWorld } from './ingest-world.js';
import { joined } from './event-world.js';

let world: IngestWorld;

beforeAll(async () => {
  world = await IngestWorld.start();
});

afterAll(async () => {
  await world.stop();
});

const planNow = async () =>
  planPartitions(await listPartitions(world.database), Date.now(), 400 * 86_400_000);

const createExpired = async (month: string): Promise<void> => {
  const [begin, end] = [`2020-${month}-01T00:00:00Z`, `2020-${month}-28T00:00:00Z`];
  const name = `events_2020_${month}`;
  await world.database.withConnection((manager) => createPartition(manager, { name, begin, end }));
  await queryDatabase(
    world.url,
    `INSERT INTO analytics.events (id, type, at, community_id, user_id)
     SELECT gen_random_uuid(), 'member.joined', $1, 'c', n::text FROM generate_series(1, 1000) AS n`,
    [begin],
  );
};

const dropExpired = async (manager: EntityManager): Promise<void> => {
  for (const partition of (await planNow()).expired) await dropPartition(manager, partition);
};

it('event partitions: the migration creates all partitions that are needed, and no default one', async () => {
  expect(await planNow()).toEqual({ missing: [], expired: [] });
  const outside = `INSERT INTO analytics.events (id, type, at, community_id, user_id)
    VALUES (gen_random_uuid(), 'member.joined', '2020-06-01', 'c', 'u')`;
  await expect(queryDatabase(world.url, outside)).rejects.toThrow('no partition of relation "events" found');
});

it('event partitions: a partition has the primary key and the indexes of the table', async () => {
  await createExpired('01');
  const indexesOf = async (table: string) => {
    const sql = `SELECT pg_get_indexdef(indexrelid) AS text FROM pg_index WHERE indrelid = $1::regclass ORDER BY indisprimary`;
    const rows = (await queryDatabase(world.url, sql, [`analytics.${table}`])) as { text: string }[];
    return rows.map(({ text }) => text.replace(/^.* USING /, ''));
  };
  expect(await indexesOf('events_2020_01')).toEqual(await indexesOf('events'));
});

it('event partitions: an expired partition is removed while events arrive and reports are loaded', async () => {
  await createExpired('02');
  const communityId = `community_${randomUUID()}`;
  const period = createReportPeriod({ range: '90d' }, { now: Date.now(), firstEventAt: undefined });
  let isDropped = false;
  const loadReports = async (): Promise<void> => {
    const report = { communityId, period, currentRoles: [], chosenRoles: undefined };
    while (!isDropped) await loadUserInteractions(world.database, report);
  };
  const store = async (): Promise<void> => {
    for (let round = 0; !isDropped; round += 1) await world.ingest([[joined(communityId, round)]]);
  };
  const drop = async (): Promise<void> => {
    try {
      await world.database.withConnection(dropExpired);
    } finally {
      isDropped = true;
    }
  };
  await Promise.all([loadReports(), store(), drop()]);
  const names = (await listPartitions(world.database)).map(({ name }) => name);
  expect(names.filter((name) => name.startsWith('events_2020'))).toEqual([]);
});

it('event partitions: a removal that was interrupted is finished by the next one', async () => {
  await createExpired('03');
  await world.database.transaction(async (reader) => {
    await queryRows(reader, 'SELECT FROM analytics.events LIMIT 1');
    const interrupted = world.databases[1]?.withConnection(async (manager) => {
      await queryRows(manager, `SET statement_timeout = '2s'`);
      await dropExpired(manager);
    });
    await expect(interrupted).rejects.toMatchObject({ statusCode: 503 });
  });
  expect((await planNow()).expired).toEqual([{ name: 'events_2020_03', state: 'detaching' }]);
  await world.database.withConnection(dropExpired);
  expect(await planNow()).toEqual({ missing: [], expired: [] });
});

it('event partitions: one instance at a time changes partitions', async () => {
  const [first, second] = world.databases;
  await first?.withConnection(async (manager) => {
    expect(await tryLockPartitions(manager)).toBe(true);
    expect(await second?.withConnection(tryLockPartitions)).toBe(false);
    await unlockPartitions(manager);
  });
});
