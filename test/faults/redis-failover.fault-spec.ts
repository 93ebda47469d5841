import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { freePort } from '../../scripts/processes/ports.mjs';
import { LocalRedis } from '../support/local-redis.js';
import { type MovableAddress, movableAddress } from '../support/movable-address.js';
import { describeWithRedis } from '../support/needs.js';
import { until } from '../support/until.js';
import { health, Product } from './product.js';

jest.setTimeout(300_000);

const RESUME_MS = 30_000;

describeWithRedis('the suite on a Redis', () => {
  let primary: LocalRedis;
  let next: LocalRedis;
  let address: MovableAddress;
  let product: Product;

  beforeAll(async () => {
    const args = ['--repl-diskless-sync-delay', '0'];
    primary = await LocalRedis.start({ args });
    next = await LocalRedis.start({ args });
    address = await movableAddress(await freePort(), primary);
    product = await Product.start({ env: { REDIS_URL: address.url('redis') } });
  });

  afterAll(async () => {
    await product.stop();
    await address.stop();
    await primary.stop();
    await next.stop();
  });

  const replicated = (replica: LocalRedis) =>
    until('replicated', async () =>
      (await replica.command('INFO replication')).includes('master_link_status:up'),
    );

  it('T240: that fails over without cutting connections: token-gating is not ready until it reaches the new primary, and answers each check once', async () => {
    const [app] = product.instances;
    if (!app) throw new Error('no instance');
    await next.command(`REPLICAOF 127.0.0.1 ${primary.port}`);
    await replicated(next);
    product.node.hold();
    const before = await product.calledBack(20);
    await primary.untilWrittenTo(next);
    await next.command('REPLICAOF NO ONE');
    await primary.command(`REPLICAOF 127.0.0.1 ${next.port}`);
    await replicated(primary);
    product.node.release();
    await until('not ready', async () => (await health(app, 'ready')) === 503);
    address.moveTo(next);
    await until('ready', async () => (await health(app, 'ready')) === 200, RESUME_MS);
    await until('served', () => product.isServing(app));
    const after = await product.calledBack(20);
    await product.untilDelivered([...before, ...after], RESUME_MS);
    for (const id of [...before, ...after]) {
      expect(await product.result(id)).toEqual(product.granted(id));
      expect(product.callbacks.of(id)).toHaveLength(1);
    }
    // The gateway counts at the new primary.
    await until('counted', async () => (await next.command('EXISTS {gatehouse}:gateways')) === ':1');
  });
});
