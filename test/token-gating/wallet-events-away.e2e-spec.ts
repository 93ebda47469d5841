import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { WalletEvent } from '@app/dto';
import { freePort } from '../../scripts/local/ports.mjs';
import { type TcpForwarder, tcpForwarder } from '../identity/tcp-forwarder.js';
import type { ForeignQueue } from '../queues/foreign-queue.js';
import { hasRedis, LocalRedis } from '../support/local-redis.js';
import { until } from '../support/until.js';
import { RolesWorld } from './roles-world.js';
import { eoa } from './wallet-book.js';

/** The queue stays while the database goes. */
(hasRedis ? describe : describe.skip)('wallets that are linked while PostgreSQL', () => {
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
  }, 90_000);

  afterAll(async () => {
    await world.stop();
    await way.close();
    await redis.stop();
  });

  /** A member of a community, who has a wallet by now that is worth a role there. */
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

  /** The first attempt that is spent is the last. */
  const tell = async (event: WalletEvent): Promise<void> => {
    const data = { version: 1, batchId: randomUUID(), events: [event] };
    const opts = { jobId: data.batchId, attempts: 1, removeOnComplete: true };
    await walletEvents.add('wallet-events', data, opts);
  };

  const expectTold = async ({ userId, communityId }: Awaited<ReturnType<typeof member>>): Promise<void> => {
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

  it('cannot be reached are looked at when it is back, however often they were tried', async () => {
    const someone = await member();
    await way.close();
    await tell(someone.linked);
    await until('it was tried more often than it may fail', async () => {
      const [job] = await walletEvents.getJobs(['delayed', 'active', 'failed']);
      return (job?.attemptsStarted ?? 0) > 2;
    });
    const [job] = await walletEvents.getJobs(['delayed', 'active', 'waiting', 'failed']);
    expect([job?.attemptsMade, job?.failedReason]).toEqual([0, undefined]);
    await way.open();
    await expectTold(someone);
  });

  it('says nothing are looked at, too', async () => {
    const someone = await member();
    way.goSilent();
    await tell(someone.linked);
    await expectTold(someone);
  }, 60_000);

  it('loses its connections again and again are looked at, all of them', async () => {
    const some = [];
    for (let n = 0; n < 10; n += 1) some.push(await member());
    for (const someone of some) {
      await tell(someone.linked);
      await way.close();
      await way.open();
    }
    for (const someone of some) await expectTold(someone);
  }, 60_000);
});
