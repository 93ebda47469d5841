import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { freePort } from '../../scripts/processes/ports.mjs';
import { LocalPostgres } from '../support/local-postgres.js';
import { type MovableAddress, movableAddress } from '../support/movable-address.js';
import { until } from '../support/until.js';
import { health, Product } from './product.js';

jest.setTimeout(300_000);

const RESUME_MS = 30_000;
/** Workers have tried to listen to the old primary by then. */
const STANDBY_MS = 6_000;
const portOf = ({ url }: LocalPostgres) => ({ port: Number(new URL(url).port) });

describe('the suite on PostgreSQL', () => {
  let primary: LocalPostgres;
  let standby: LocalPostgres;
  let address: MovableAddress;
  let product: Product;

  beforeAll(async () => {
    primary = await LocalPostgres.start();
    standby = await primary.startStandby();
    address = await movableAddress(await freePort(), portOf(primary));
    const url = new URL(primary.url);
    url.port = new URL(address.url('postgres')).port;
    process.env.TEST_DATABASE_URL = url.href;
    product = await Product.start();
  });

  afterAll(async () => {
    await product.stop();
    await address.stop();
    await primary.stop();
    await standby.stop();
  });

  it('T242: suite on PostgreSQL whose primary comes back as a standby at the same address: is not ready and answers 503, and goes on at the new primary without a restart', async () => {
    const [app] = product.instances;
    if (!app) throw new Error('no instance');
    const identity = product.suite.app('identity');
    product.node.hold();
    const before = await product.calledBack(10);
    await primary.shutDown();
    await standby.promote();
    await primary.restartAsStandbyOf(standby);
    // What is read from the old primary from now on is outdated.
    await primary.pauseReplay();
    product.node.release();
    for (const one of [app, identity])
      await until('not ready', async () => (await health(one, 'ready')) === 503);
    await sleep(STANDBY_MS);
    const refused = await Promise.all(Array.from({ length: 5 }, () => product.check({ async: true })));
    for (const { status } of refused) expect(status).toBe(503);
    address.moveTo(portOf(standby));
    for (const one of [app, identity])
      await until('ready', async () => (await health(one, 'ready')) === 200, RESUME_MS);
    // The gateway's circuit breaker may be open for two seconds more.
    await until('served', async () => (await product.check()).status === 200);
    const after = await product.calledBack(10);
    await product.untilDelivered([...before, ...after]);
    for (const id of [...before, ...after]) expect(await product.result(id)).toEqual(product.granted(id));
    expect(app.process.exitCode).toBeNull();
    expect(await primary.listClients()).toEqual([]);
  });
});
