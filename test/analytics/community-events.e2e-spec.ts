import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BACKENDS } from '../support/queue-backend.js';
import { until } from '../support/until.js';
import { deleted, EventWorld, joined } from './event-world.js';

const aCommunity = (): string => `community_${randomUUID().replaceAll('-', '').slice(0, 17)}`;
const many = (count: number, communityId: string) =>
  Array.from({ length: count }, (_, index) => joined(communityId, index));

describe.each(BACKENDS)('events of communities in analytics, over %s', (name) => {
  let world: EventWorld;

  beforeAll(async () => {
    world = await EventWorld.start(name);
  }, 90_000);

  afterAll(async () => {
    await world.stop();
  });

  const settled = (): Promise<void> => until('taken', () => world.areAllTaken());

  it('are stored with what they say', async () => {
    const communityId = aCommunity();
    const base = { at: '2026-11-01T10:00:00.000Z', communityId, userId: 'user_1' };
    const events = [
      { ...base, id: randomUUID(), type: 'member.joined' },
      { ...base, id: randomUUID(), type: 'role.granted', roleId: 'role_1' },
      { ...base, id: randomUUID(), type: 'role.revoked', roleId: 'role_1' },
      { ...base, id: randomUUID(), type: 'wallet.linked', accountId: 'eip155:1:0xab' },
      { ...base, id: randomUUID(), type: 'wallet.unlinked', accountId: 'eip155:1:0xab' },
      { ...base, id: randomUUID(), type: 'member.left' },
    ];
    await world.put(events);
    await settled();
    const rows = events.map(({ id, type, ...more }) => ({
      id,
      type,
      at: new Date(base.at),
      community_id: communityId,
      user_id: 'user_1',
      role_id: 'roleId' in more ? more.roleId : null,
      account_id: 'accountId' in more ? more.accountId : null,
    }));
    const byId = (a: { id: string }, b: { id: string }) => a.id.localeCompare(b.id);
    expect((await world.stored(communityId)).sort(byId)).toEqual(rows.sort(byId));
  });

  it('are stored once, however often and in whatever order they come', async () => {
    const communityId = aCommunity();
    const events = many(40, communityId);
    const reversed = [...events].reverse();
    await world.put(reversed.slice(0, 20), events, reversed.slice(20), events, reversed);
    await settled();
    expect(await world.stored(communityId)).toMatchObject(events.map(({ id }) => ({ id })));
    expect(await world.failed()).toBe(0);
  });

  it('may be many, and instances share them', async () => {
    const second = await world.another();
    const communityId = aCommunity();
    const events = many(20_000, communityId);
    const batches = Array.from({ length: 40 }, (_, index) => events.slice(index * 500, (index + 1) * 500));
    await world.put(...batches);
    await settled();
    expect(await world.stored(communityId)).toHaveLength(20_000);
    expect(await second.stop()).toBe(0);
  });

  it('are no longer kept when their community is deleted, and not taken up again when they come late', async () => {
    const [gone, other] = [aCommunity(), aCommunity()];
    await world.put(many(500, gone), many(500, gone), [...many(3, gone), ...many(3, other)]);
    await settled();
    await world.put([...many(2, gone), deleted(gone), ...many(2, gone)], many(10, gone), [deleted(gone)]);
    await settled();
    await until('purged', async () => (await world.stored(gone)).length === 0);
    await world.put(many(5, gone), many(4, other));
    await settled();
    expect(await world.stored(gone)).toEqual([]);
    expect(await world.stored(other)).toHaveLength(7);
  });

  it('are removed once more for what an insert that had begun earlier left behind', async () => {
    const gone = aCommunity();
    await world.put([deleted(gone)]);
    await settled();
    const round = async () => {
      const [row] = await world.query(
        'SELECT purge_at > now() AS later, purge_at IS NULL AS done FROM analytics.deleted_communities WHERE community_id = $1',
        [gone],
      );
      return row as { later: boolean | null; done: boolean };
    };
    await until('first round', async () => (await round()).later === true);
    await world.query(
      `INSERT INTO analytics.community_events (id, type, at, community_id, user_id)
       SELECT gen_random_uuid(), 'member.joined', now(), $1, n::text FROM generate_series(1, 12000) AS n`,
      [gone],
    );
    await world.query(
      `UPDATE analytics.deleted_communities
       SET purge_at = now(), received_at = received_at - interval '2 minutes' WHERE community_id = $1`,
      [gone],
    );
    await until('second round', async () => (await round()).done);
    expect(await world.stored(gone)).toEqual([]);
  });

  it('wait for the database, however often they are tried', async () => {
    const communityId = aCommunity();
    await world.wayToDatabase.close();
    await world.put(many(2, communityId), many(2, communityId));
    await sleep(6_000); // each of them was tried more than once, and may be tried once by its options
    expect(await world.failed()).toBe(0);
    await world.wayToDatabase.open();
    await settled();
    expect(await world.stored(communityId)).toHaveLength(4);
  });

  it('of an unknown type, or without sense, stand in the failed list, and hold up nothing', async () => {
    const communityId = aCommunity();
    const [event] = many(1, communityId);
    const failedBefore = await world.failed();
    await world.put(
      [{ ...event, type: 'member.danced' }],
      // PostgreSQL takes no such text, in queues neither
      [{ ...event, userId: name === 'redis' ? 'nul \u0000' : 'x'.repeat(257) }],
      [{ ...event, more: 1 }],
      [],
      many(501, communityId),
    );
    await world.putJobs({ version: 2, batchId: randomUUID(), events: [event] });
    await world.put(many(3, communityId));
    await settled();
    expect(await world.failed()).toBe(failedBefore + 6);
    expect(await world.stored(communityId)).toHaveLength(3);
    const lines = () => world.apps.flatMap(({ logLines }) => logLines).join('\n');
    await until('told', () => lines().includes('events.0.type: '));
    expect(lines()).not.toContain('danced');
  });
});
