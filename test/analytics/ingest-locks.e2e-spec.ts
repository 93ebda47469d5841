import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Database } from '@app/database';
import type { CommunityEvent } from '@app/dto';
import type { EntityManager } from 'typeorm';
import type { EventIngestService } from '../../apps/analytics/src/ingest/event-ingest.service.js';
import { takeUnpartitionedEvents } from '../../apps/analytics/src/ingest/events.queries.js';
import { purgeDeletedCommunity } from '../../apps/analytics/src/ingest/deleted-communities-sweeper.js';
import { lockCommunities } from '../../apps/analytics/src/rollups/communities.queries.js';
import { queryDatabase } from '../identity/query-database.js';
import { until } from '../support/until.js';
import { RowLock } from '../token-gating/row-lock.js';
import { deleted, joined } from './event-world.js';
import { createService, IngestWorld } from './ingest-world.js';

let world: IngestWorld;

beforeAll(async () => {
  world = await IngestWorld.start();
});

afterAll(async () => {
  await world.stop();
});

const purge = (): Promise<boolean> =>
  world.database.transaction((manager) => purgeDeletedCommunity(manager, 1_000));

const waitForWaiting = (count: number): Promise<void> =>
  until(`${count} transactions wait for locks`, async () => {
    const rows = await queryDatabase(
      world.url,
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return rows.length === count;
  });

const insertEvent = (table: string) =>
  `INSERT INTO analytics.${table} (id, type, at, community_id, user_id) VALUES ($1, 'member.joined', $2, $3, $4)`;

const toParameters = ({ id, at, ...more }: CommunityEvent): unknown[] => [
  ...[id, at],
  'communityId' in more ? more.communityId : '',
  'userId' in more ? more.userId : '',
];

const expectEmpty = async (communityId: string): Promise<void> => {
  const tables = ['events', 'community_events', 'event_counts', 'state_intervals', 'user_sketches'];
  for (const table of tables)
    expect(
      await queryDatabase(world.url, `SELECT FROM analytics.${table} WHERE community_id = $1`, [communityId]),
    ).toEqual([]);
};

it('T102: event ingest: a community that is purged while its events are stored makes no deadlock', async () => {
  const communityId = `community_${randomUUID()}`;
  await world.ingest([[joined(communityId, 1)]]);
  // Storing waits here, after it has locked the community and while it changes its numbers.
  const lock = await RowLock.acquire(
    world.url,
    'SELECT FROM analytics.event_counts WHERE community_id = $1 FOR UPDATE',
    [communityId],
  );
  const storing = world.ingest([[joined(communityId, 2), joined(communityId, 3)]]);
  await lock.waitUntilBlocking();
  await world.ingest([[deleted(communityId)]]);
  const purging = purge();
  await waitForWaiting(2);
  await lock.release();
  await Promise.all([storing, purging]);
  while (await purge());
  await expectEmpty(communityId);
});

it('T102: event ingest: a community that is purged while its events are moved into partitions makes no deadlock', async () => {
  const communityId = `community_${randomUUID()}`;
  const known = joined(communityId, 1);
  await world.ingest([[known]]);
  await world.ingest([[deleted(communityId)]]);
  const former = joined(communityId, 2);
  await queryDatabase(world.url, insertEvent('community_events'), toParameters(former));
  // The purge waits here, after it has locked the community and before it deletes what is to be moved.
  const lock = await RowLock.acquire(world.url, 'SELECT FROM analytics.events WHERE id = $1 FOR UPDATE', [
    known.id,
  ]);
  const purging = purge();
  await lock.waitUntilBlocking();
  // The events move as by a sweeper that found the community before the deletion.
  const moving = world.database.transaction(async (manager) => {
    await takeUnpartitionedEvents(manager, [former.id]);
    await lockCommunities(manager, [{ communityId, firstEventAt: known.at }]);
  });
  await waitForWaiting(2);
  await lock.release();
  await Promise.all([moving, purging]);
  await expectEmpty(communityId);
});

/** A world's ingest that notes how many events each transaction has. */
function recordTransactions(): { service: EventIngestService; transactions: () => number } {
  let transactions = 0;
  const database = Object.create(world.database, {
    transaction: {
      value: <T>(work: (manager: EntityManager) => Promise<T>): Promise<T> => {
        transactions += 1;
        return world.database.transaction(work);
      },
    },
  }) as Database;
  return { service: createService(database), transactions: () => transactions };
}

it('T196: event ingest: jobs at the same time share transactions, and one that fails does so alone', async () => {
  const communityIds = Array.from({ length: 10 }, () => `community_${randomUUID()}`);
  const jobs = Array.from({ length: 20 }, (_, job) =>
    communityIds.map((communityId) => ({ ...joined(communityId, 60), userId: `user_${job}` })),
  );
  const { service, transactions } = recordTransactions();
  await Promise.all(jobs.map((job) => service.ingest(job)));
  expect(transactions()).toBe(2);
  const countUsers = async (communityId: string): Promise<unknown> => {
    const sql = `SELECT count(*)::int AS count FROM analytics.state_intervals WHERE community_id = $1`;
    return (await queryDatabase(world.url, sql, [communityId]))[0];
  };
  for (const communityId of communityIds) expect(await countUsers(communityId)).toEqual({ count: 20 });

  const [id = ''] = communityIds;
  const refused = { ...joined(id, 60), userId: 'no\u0000text' };
  const results = await Promise.allSettled(
    [joined(id, 61), refused, joined(id, 62), joined(id, 63)].map((event) => service.ingest([event])),
  );
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
});
