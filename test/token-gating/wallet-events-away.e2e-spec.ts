import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { WalletEvent } from '@app/dto';
import { freePort } from '../../scripts/processes/ports.mjs';
import { type TcpForwarder, tcpForwarder } from '../identity/tcp-forwarder.js';
import type { ForeignQueue } from '../queues/foreign-queue.js';
import { LocalRedis } from '../support/local-redis.js';
import { until } from '../support/until.js';
import { RolesWorld } from './roles-world.js';
import { eoa } from './wallet-book.js';
import { describeWithRedis } from '../support/needs.js';

/** The queue is on Redis, so it stays available. */
describeWithRedis('wallets that are linked while PostgreSQL', () => {
  let redis: LocalRedis;
  let way: TcpForwarder;
  let world: RolesWorld;
  let walletEvents: ForeignQueue['queue'];
  let users = 0;

  beforeAll(async () => {
    redis = await LocalRedis.start();
    world = await RolesWorld.start({ REDIS_URL: redis.url }, async (databaseUrl) => {
      const url = new URL(databaseUrl);
      const port = await freePort();
      way = tcpForwarder(port, { host: url.hostname, port: Number(url.port) });
      await way.open();
      url.host = `127.0.0.1:${port}`;
      return url.href;
    });
    walletEvents = world.queue('wallet-events');
  });

  afterAll(async () => {
    await world.stop();
    await way.close();
    await redis.stop();
  });

  /** Creates a community with a member whose new wallet grants a role. */
  const member = async (): Promise<{ userId: string; communityId: string; linked: WalletEvent }> => {
    const userId = `user_${++users}`;
    const address = await world.wallet(10n ** 18n);
    world.book.set(userId, eoa(address));
    const rules = [world.holds('1', { roleId: 'whale' })];
    const communityId = await world.communities.create({ roles: ['whale'], rules, members: [userId] });
    const accountId = `eip155:1:${address}`;
    const at = new Date().toISOString();
    return {
      userId,
      communityId,
      linked: { id: randomUUID(), at, type: 'wallet.linked', userId, accountId },
    };
  };

  /** The job fails at the first attempt that counts. */
  const publish = async (event: WalletEvent): Promise<void> => {
    const data = { version: 1, batchId: randomUUID(), events: [event] };
    const opts = { jobId: data.batchId, attempts: 1, removeOnComplete: true };
    await walletEvents.add('wallet-events', data, opts);
  };

  const expectPublished = async ({
    userId,
    communityId,
  }: Awaited<ReturnType<typeof member>>): Promise<void> => {
    await until('the role is stored', async () => {
      expect(await walletEvents.getJobCounts('failed')).toEqual({ failed: 0 });
      return (await world.communities.assignments(communityId)).length > 0;
    });
    expect(await world.communities.assignments(communityId)).toEqual([`${userId} whale`]);
    await until('nothing waits', async () => {
      const counts = await walletEvents.getJobCounts('waiting', 'active', 'delayed');
      return Object.values(counts).every((count) => count === 0);
    });
    const events = await world.events.of(communityId);
    const distinct = new Map(events.map((event) => [event.id, event.type]));
    expect([...distinct.values()].sort()).toEqual(['role.granted', 'wallet.linked']);
  };

  it('wallets that are linked while PostgreSQL: is unreachable are checked when it is back, without a limit of attempts', async () => {
    const someone = await member();
    await way.close();
    await publish(someone.linked);
    await until('it was started more often than it may fail', async () => {
      const [job] = await walletEvents.getJobs(['delayed', 'active', 'failed']);
      return (job?.attemptsStarted ?? 0) > 2;
    });
    const [job] = await walletEvents.getJobs(['delayed', 'active', 'waiting', 'failed']);
    expect([job?.attemptsMade, job?.failedReason]).toEqual([0, undefined]);
    await way.open();
    await expectPublished(someone);
  });

  it('wallets that are linked while PostgreSQL: does not respond are checked, too', async () => {
    const someone = await member();
    way.goSilent();
    await publish(someone.linked);
    await expectPublished(someone);
  });

  it('wallets that are linked while PostgreSQL: keeps losing its connections are all checked', async () => {
    const some = [];
    for (let n = 0; n < 10; n += 1) some.push(await member());
    for (const someone of some) {
      await publish(someone.linked);
      await way.close();
      await way.open();
    }
    for (const someone of some) await expectPublished(someone);
  });
});
