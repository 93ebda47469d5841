import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { BACKENDS } from '../support/queue-backend.js';
import { until } from '../support/until.js';
import { deleted, EventWorld, joined, START } from './event-world.js';
import { describeBackends } from '../support/needs.js';

const aCommunity = (): string => `community_${randomUUID().replaceAll('-', '').slice(0, 17)}`;
const many = (count: number, communityId: string) =>
  Array.from({ length: count }, (_, index) => joined(communityId, index));

describeBackends(BACKENDS, 'community events in analytics, over %s', (name) => {
  let world: EventWorld;

  beforeAll(async () => {
    world = await EventWorld.start(name);
  });

  afterAll(async () => {
    await world.stop();
  });

  const settled = (): Promise<void> => until('all jobs are processed', () => world.areAllTaken());

  it('community events: are stored with all fields', async () => {
    const communityId = aCommunity();
    const base = { at: new Date(START).toISOString(), communityId, userId: 'user_1' };
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

  it('community events: are stored once, whatever their order and repetition', async () => {
    const communityId = aCommunity();
    const events = many(40, communityId);
    const reversed = [...events].reverse();
    await world.put(reversed.slice(0, 20), events, reversed.slice(20), events, reversed);
    await settled();
    expect(await world.stored(communityId)).toMatchObject(events.map(({ id }) => ({ id })));
    expect(await world.failed()).toBe(0);
  });

  it('community events: are shared by instances', async () => {
    const second = await world.another();
    const communityId = aCommunity();
    const events = many(5_000, communityId);
    const batches = Array.from({ length: 20 }, (_, index) => events.slice(index * 250, (index + 1) * 250));
    await world.put(...batches);
    await settled();
    expect(await world.stored(communityId)).toHaveLength(5_000);
    expect(await second.stop()).toBe(0);
  });

  it('community events: are deleted with their community, and ignored when they arrive later', async () => {
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

  it('community events: leave nothing behind with their community, numbers included', async () => {
    const gone = aCommunity();
    const base = { at: new Date(START).toISOString(), communityId: gone, userId: 'user_1' };
    await world.put([
      ...many(3, gone),
      { ...base, id: randomUUID(), type: 'role.granted', roleId: 'role_1' },
      { ...base, id: randomUUID(), type: 'wallet.linked', accountId: 'eip155:1:0xab' },
    ]);
    await settled();
    expect(await world.rowsOf(gone)).toEqual({
      events: 5,
      communities: 1,
      event_counts: 4,
      state_intervals: 5,
      user_sketches: 2,
    });
    await world.put([deleted(gone)]);
    await until('purged', async () => Object.values(await world.rowsOf(gone)).every((count) => count === 0));
  });

  it('DeletedCommunitiesSweeper: purges a community although the purge of one before it fails', async () => {
    const [poisoned, gone] = [aCommunity(), aCommunity()];
    await world.put(many(3, poisoned), many(3, gone));
    await settled();
    await world.query(`
      CREATE FUNCTION analytics.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'poisoned'; END $$;
      CREATE TRIGGER refuse BEFORE DELETE ON analytics.events FOR EACH ROW
        WHEN (OLD.community_id = '${poisoned}') EXECUTE FUNCTION analytics.refuse()`);
    await world.put([deleted(poisoned)]);
    await settled();
    await world.put([deleted(gone)]);
    await until('purged', async () => (await world.stored(gone)).length === 0);
    expect(await world.stored(poisoned)).toHaveLength(3);
    await world.query('DROP TRIGGER refuse ON analytics.events');
    await world.query(
      `UPDATE analytics.deleted_communities SET purge_at = now() WHERE community_id = '${poisoned}'`,
    );
    await until('purged', async () => (await world.stored(poisoned)).length === 0);
  });

  it('community events: are moved from the table of the release before partitions', async () => {
    const communityId = aCommunity();
    const at = new Date(START).toISOString();
    await world.query(
      `INSERT INTO analytics.community_events (id, type, at, community_id, user_id, role_id)
       SELECT gen_random_uuid(), 'role.granted', $2, $1, n::text, 'role_1' FROM generate_series(1, 700) AS n`,
      [communityId, at],
    );
    await until('moved', async () => (await world.stored(communityId)).length === 700);
    expect(await world.query('SELECT FROM analytics.community_events')).toEqual([]);
    expect(await world.rowsOf(communityId)).toMatchObject({ state_intervals: 700, event_counts: 1 });
  });

  it('UnpartitionedEventsSweeper: moves the events of other communities although one event cannot be read', async () => {
    const [poisoned, victim] = [aCommunity(), aCommunity()];
    const insert = (communityId: string, type: string, count: number) =>
      world.query(
        `INSERT INTO analytics.community_events (id, type, at, community_id, user_id, role_id)
         SELECT gen_random_uuid(), $2, now(), $1, n::text, 'role_1' FROM generate_series(1, $3::int) AS n`,
        [communityId, type, count],
      );
    await insert(poisoned, 'role.unknown', 1);
    await insert(victim, 'role.granted', 700);
    await until('moved', async () => (await world.stored(victim)).length === 700);
    const left = 'DELETE FROM analytics.community_events RETURNING community_id';
    expect(await world.query(left)).toEqual([{ community_id: poisoned }]);
  });

  it('community events: that are moved and older than the retention time are counted, and dropped', async () => {
    const communityId = aCommunity();
    const droppedBefore = await world.droppedAs('too_old');
    await world.query(
      `INSERT INTO analytics.community_events (id, type, at, community_id, user_id, role_id)
       SELECT gen_random_uuid(), 'role.granted', now() - interval '500 days', $1, n::text, 'role_1'
       FROM generate_series(1, 3) AS n`,
      [communityId],
    );
    await until('moved', async () => (await world.rowsOf(communityId))['state_intervals'] === 3);
    expect(await world.rowsOf(communityId)).toMatchObject({ events: 0, communities: 1, event_counts: 1 });
    await until('metrics', async () => (await world.droppedAs('too_old')) === droppedBefore + 3);
  });

  it('community events: that are too old or in the future are dropped and counted', async () => {
    const communityId = aCommunity();
    const at = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
    const [one, two, three] = many(3, communityId);
    const before: [string, number][] = [];
    for (const reason of ['too_old', 'in_the_future']) before.push([reason, await world.droppedAs(reason)]);
    await world.put([
      { ...one, at: at(-401) },
      { ...two, at: at(-399) },
      { ...three, at: at(0.01) },
      deleted(aCommunity()),
    ]);
    await settled();
    expect((await world.stored(communityId)).map(({ id }) => id)).toEqual([two?.id]);
    for (const [reason, count] of before) expect(await world.droppedAs(reason)).toBe(count + 1);
  });

  it('community events: are purged again for concurrent inserts', async () => {
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
    await until('the first purge is done', async () => (await round()).later === true);
    await world.query(
      `INSERT INTO analytics.events (id, type, at, community_id, user_id)
       SELECT gen_random_uuid(), 'member.joined', now(), $1, n::text FROM generate_series(1, 12000) AS n`,
      [gone],
    );
    await world.query(
      `UPDATE analytics.deleted_communities
       SET purge_at = now(), received_at = received_at - interval '2 minutes' WHERE community_id = $1`,
      [gone],
    );
    await until('the second purge is done', async () => (await round()).done);
    expect(await world.stored(gone)).toEqual([]);
  });

  it('community events: are retried until the database is available', async () => {
    const communityId = aCommunity();
    await world.wayToDatabase.close();
    await world.put(many(2, communityId), many(2, communityId));
    await sleep(6_000); // more attempts than the job options allow
    expect(await world.failed()).toBe(0);
    await world.wayToDatabase.open();
    await settled();
    expect(await world.stored(communityId)).toHaveLength(4);
  });

  it('community events: that are invalid become failed jobs and do not block others', async () => {
    const communityId = aCommunity();
    const [event] = many(1, communityId);
    const failedBefore = await world.failed();
    await world.put(
      [{ ...event, type: 'member.danced' }],
      // A queue on PostgreSQL rejects NUL itself
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
    await until('the failure is logged', () => lines().includes('events.0.type: '));
    expect(lines()).not.toContain('danced');
  });

  it('T76: community events: that a later release publishes do not keep back the others of their batch, and are kept', async () => {
    const communityId = aCommunity();
    const [later, known, another] = many(3, communityId);
    const unknown = { ...later, type: 'member.danced', partnerId: 'user_9' };
    await world.put([unknown, known ?? {}, { ...another, more: 1 }]);
    await settled();
    expect((await world.stored(communityId)).map(({ id }) => id)).toEqual([known?.id]);
    expect((await world.failedJobs()).map(({ events }) => events)).toContainEqual([
      unknown,
      { ...another, more: 1 },
    ]);
  });

  it('T193: community events: keep heartbeats back while a job with earlier events is retried', async () => {
    const communityId = aCommunity();
    const at = (second: number) => new Date(START + second * 1_000).toISOString();
    const beat = (second: number) =>
      world.put(
        ['identity', 'token-gating'].map((producer) => ({
          ...{ id: randomUUID(), type: 'producer.heartbeat', at: at(second), producer },
        })),
      );
    const untilOf = async () => {
      const rows = await world.query(
        'SELECT until_at AS until FROM analytics.producer_heartbeats ORDER BY producer',
      );
      return (rows as { until: Date }[]).map(({ until: time }) => time.toISOString());
    };
    const makeDue = await world.putDelayed([joined(communityId, 30), joined(communityId, 20)]);
    await beat(60);
    await until('the heartbeats are stored', async () => (await untilOf()).length === 2);
    expect(await untilOf()).toEqual([at(20), at(20)]);
    await makeDue();
    await settled();
    expect(await world.stored(communityId)).toHaveLength(2);
    await beat(90);
    await settled();
    expect(await untilOf()).toEqual([at(90), at(90)]);
  });
});
