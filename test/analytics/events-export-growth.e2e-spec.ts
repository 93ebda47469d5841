import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { listExportedEvents } from '../../apps/analytics/src/events-export/exported-events.queries.js';
import { queryDatabase } from '../identity/query-database.js';
import { IngestWorld } from './ingest-world.js';

const communityId = `community_${randomUUID()}`;
const EVENTS = 100_000;
const LIMIT = 100;
/** A partition for each month of the default retention time, and the partitions made ahead. */
const MAX_PARTITIONS = 20;

let world: IngestWorld;

/** Events of a year, which arrived in another order than they happened. */
beforeAll(async () => {
  world = await IngestWorld.start(1);
  await queryDatabase(
    world.url,
    `INSERT INTO analytics.events (id, type, at, community_id, user_id, received_at)
     SELECT gen_random_uuid(), 'member.checked', now() - (n * 7919 % $2::int) * interval '5 minutes', $1, 'user_' || n % 1000,
       now() - n * interval '5 minutes'
     FROM generate_series(1, $2::int) AS n`,
    [communityId, EVENTS],
  );
  await queryDatabase(world.url, 'ANALYZE');
});

afterAll(async () => {
  await world.stop();
});

it('T151: events export: a page of the events export reads its own events only, wherever it is', async () => {
  const id = randomUUID();
  const daysAgo = (days: number) =>
    `${new Date(Date.now() - days * 86_400_000).toISOString().slice(0, -1)}000Z`;
  for (const after of [undefined, { time: daysAgo(170), id }, { time: daysAgo(1), id }]) {
    const rows = await world.countRowsRead(async (database) => {
      const events = await listExportedEvents(database, communityId, { after, limit: LIMIT });
      expect(events.length).toBe(LIMIT);
    });
    expect(Object.values(rows).reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(
      LIMIT + MAX_PARTITIONS,
    );
  }
});
