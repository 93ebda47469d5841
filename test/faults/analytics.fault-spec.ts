import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { EventWorld, joined } from '../analytics/event-world.js';
import { describeBackends } from '../support/needs.js';
import { BACKENDS } from '../support/queue-backend.js';
import { until } from '../support/until.js';
import { RowLock } from '../token-gating/row-lock.js';

const SHORT_LOCKS = { QUEUE_LOCK_MS: '1000', QUEUE_STALLED_INTERVAL_MS: '500' };

const TYPES = ['member.joined', 'member.signed_in', 'member.reported'];

describeBackends(BACKENDS, 'analytics with queues on %s', (backend) => {
  let world: EventWorld;

  beforeAll(async () => {
    world = await EventWorld.start(backend, SHORT_LOCKS);
  });

  afterAll(async () => {
    await world.stop();
  });

  it('T86: analytics: an instance that is killed in the middle of a job leaves nothing, and another counts each event once', async () => {
    const communityId = `community_${randomUUID()}`;
    const settled = () => until('all jobs are processed', () => world.areAllTaken());
    await world.put([joined(communityId, 0)]);
    await settled();
    const events = Array.from({ length: 500 }, (_, index) => ({
      ...joined(communityId, index + 1),
      type: TYPES[index % TYPES.length],
    }));
    // The transaction has stored the events and the state history when it waits for this row.
    const lock = await RowLock.acquire(
      world.databaseUrl,
      'SELECT FROM analytics.event_counts WHERE community_id = $1 FOR UPDATE',
      [communityId],
    );
    try {
      await world.put(events);
      await lock.waitUntilBlocking();
      for (const app of world.apps) await app.stop('SIGKILL');
    } finally {
      await lock.release();
    }
    expect(await world.stored(communityId)).toHaveLength(1);
    await world.another();
    await settled();
    const [counts] = await world.query(
      'SELECT sum(running_totals[96])::int AS count FROM analytics.event_counts WHERE community_id = $1',
      [communityId],
    );
    expect(counts).toEqual({ count: 501 });
    expect(await world.rowsOf(communityId)).toMatchObject({ events: 501, state_intervals: 1 + 167 });
    expect(await world.failed()).toBe(0);
  });
});
