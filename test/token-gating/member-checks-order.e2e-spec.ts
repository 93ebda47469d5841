import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { LocalRedis } from '../support/local-redis.js';
import { BACKENDS } from '../support/queue-backend.js';
import { until } from '../support/until.js';
import { asClient, RolesWorld } from './roles-world.js';
import { eoa } from './wallet-book.js';
import { describeBackends } from '../support/needs.js';

const BATCHES = 40;
const BATCH = 100;
const BULK = asClient('client_bulk', 'community:write');

describeBackends(BACKENDS, 'member checks with queues on %s', (backend) => {
  let redis: LocalRedis | undefined;
  let world: RolesWorld;

  beforeAll(async () => {
    redis = backend === 'redis' ? await LocalRedis.start() : undefined;
    world = await RolesWorld.start(redis ? { REDIS_URL: redis.url } : {});
  });

  afterAll(async () => {
    await world.stop();
    await redis?.stop();
  });

  /** Adds platform users in batches as a client application. */
  const addBulk = async (communityId: string): Promise<void> => {
    for (let batch = 0; batch < BATCHES; batch += 1) {
      const users = Array.from({ length: BATCH }, (_, n) => ({
        platform: 'chat',
        platformUserId: `${batch}-${n}`,
      }));
      const path = `/communities/${communityId}/platform-users`;
      const { status } = await world.gating.request('PUT', path, JSON.stringify({ users }), {}, BULK);
      expect(status).toBe(200);
    }
  };

  it('member checks: run for a single new member before those of thousands that another tenant added earlier', async () => {
    const rules = [world.holds('1', { roleId: 'whale' })];
    const crowded = await world.communities.create({ roles: ['whale'], rules, clients: ['client_bulk'] });
    await world.communities.query(
      "UPDATE token_gating.communities SET owner_id = 'user_bulk' WHERE id = $1",
      [crowded],
    );
    const quiet = await world.communities.create({ roles: ['whale'], rules });
    world.book.set('user_alone', eoa(await world.wallet(10n ** 18n)));
    const checks = world.queue('member-checks');
    await checks.pause(); // no job starts until all are enqueued
    await addBulk(crowded);
    await world.join(quiet, 'user_alone');
    await until('all wait', async () => {
      const counts = await checks.getJobCounts('waiting', 'prioritized');
      return Object.values(counts).reduce((sum, count) => sum + count, 0) === BATCHES + 1;
    });
    await checks.resume();
    const left = 'SELECT count(*) FROM token_gating.community_members WHERE evaluated_at IS NULL';
    await until(
      'all are checked',
      async () => (await world.communities.query<{ count: string }>(left))[0]?.count === '0',
    );
    expect(await world.communities.assignments(quiet)).toEqual(['user_alone whale']);
    // `evaluated_at` is the start time of a check.
    const [passed] = await world.communities.query<{ before: number }>(
      `SELECT count(DISTINCT b.evaluated_at)::int AS before
       FROM token_gating.community_members a, token_gating.community_members b
       WHERE a.community_id = $1 AND b.community_id = $2 AND b.evaluated_at < a.evaluated_at`,
      [quiet, crowded],
    );
    // Checks that run concurrently start in any order.
    expect(passed?.before).toBeLessThan(BATCHES / 2);
  }, 120_000);
});
