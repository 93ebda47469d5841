import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { LocalRedis } from '../support/local-redis.js';
import { BACKENDS } from '../support/queue-backend.js';
import { until } from '../support/until.js';
import { RolesWorld } from './roles-world.js';
import { eoa } from './wallet-book.js';
import { describeBackends } from '../support/needs.js';

/**
 * Chain reads may take ten seconds, longer than the shutdown grace period. Undetermined roles are not retried, so that a
 * check that is not handed to another instance would be lost.
 */
const ENV = { RPC_TIMEOUT_MS: '10000', SHUTDOWN_GRACE_MS: '6000', CHECK_REREAD_FOR_MS: '0' };

describeBackends(BACKENDS, 'a member check with queues on %s', (backend) => {
  let redis: LocalRedis | undefined;
  let world: RolesWorld;

  beforeAll(async () => {
    redis = backend === 'redis' ? await LocalRedis.start() : undefined;
    world = await RolesWorld.start({ ...ENV, ...(redis ? { REDIS_URL: redis.url } : {}) });
  });

  afterAll(async () => {
    await world.stop();
    await redis?.stop();
  });

  it('member check: that waits for a chain does not delay shutdown, and another instance runs it', async () => {
    const userId = 'user_1';
    world.book.set(userId, eoa(await world.wallet(10n ** 18n)));
    const rules = [world.holds('1', { roleId: 'whale' })];
    const id = await world.communities.create({ roles: ['whale'], rules });
    const checks = world.queue('member-checks');
    const { gated, gating } = world;

    gated.hold();
    await world.join(id, userId);
    await until('the chain is read', () => gated.heldBack > 0);
    expect(await checks.getJobCounts('active')).toEqual({ active: 1 });
    expect(await gating.app.stop('SIGTERM')).toBe(0);

    const left = await checks.getJobs(['active', 'failed', 'delayed', 'waiting', 'prioritized']);
    expect(left.map(({ attemptsMade, failedReason }) => [attemptsMade, failedReason])).toEqual([
      [0, undefined],
    ]);
    expect(await world.communities.assignments(id)).toEqual([]);
    expect(await world.events.roleChangesOf(id)).toEqual(['member.joined']);

    gated.release();
    await gating.another();
    await until('the role is stored', async () => (await world.communities.assignments(id)).length > 0);
    await until('nothing is left to do', async () => {
      const counts = await checks.getJobCounts('active', 'failed', 'delayed', 'waiting', 'prioritized');
      return Object.values(counts).every((count) => count === 0);
    });
    expect(await world.communities.assignments(id)).toEqual([`${userId} whale`]);
    expect(await world.events.roleChangesOf(id)).toEqual(['member.joined', `role.granted ${userId} whale`]);
  });
});
