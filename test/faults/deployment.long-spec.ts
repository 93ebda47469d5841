import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { generatePrivateKey } from 'viem/accounts';
import { CallbackLog, isAuthentic } from '../support/callback-log.js';
import { LocalRedis } from '../support/local-redis.js';
import { describeWithRedis } from '../support/needs.js';
import { until } from '../support/until.js';
import { APPS, Deployment } from './deployment.js';
import { DeploymentLoad, PAYERS } from './deployment-load.js';

jest.setTimeout(400_000);

const REQUESTS = 10_000;
const LOAD_MS = 240_000;

describeWithRedis('a deployment with two replicas of every app', () => {
  let deployment: Deployment;

  beforeAll(async () => {
    deployment = await Deployment.start();
    for (const payer of PAYERS) await deployment.fundedAccount(payer);
  });

  afterAll(() => deployment.stop());

  const untilIncluded = () =>
    until('every operation is included', async () => {
      // An operation whose nonce another one has used ends at the depth of confirmations.
      await deployment.chain.client.mine({ blocks: 1 });
      return (await deployment.database.countUnfinishedOperations()) === 0;
    });

  it('T181: deployment with two replicas of every app: loses no request, no check and no user operation while every app is rolled out', async () => {
    const paid = await deployment.received();
    const counted = PAYERS.length;
    await until(
      'earlier operations are counted',
      async () => (await deployment.database.countIncludedAtAnalytics()) === counted,
    );
    const load = new DeploymentLoad(deployment);
    await load.startReads();
    load.startChecks(deployment.callbacks);
    load.startOperations();
    await sleep(500);
    const codes = await Promise.all(APPS.map((name) => deployment.rollOut(name)));
    await until('enough requests', () => load.outcomes.length >= REQUESTS, LOAD_MS);
    await load.stop();

    // Each instance ended what it had begun, within its grace.
    expect(codes).toEqual(APPS.map(() => [0, 0]));
    expect(load.outcomes.filter(({ status }) => status !== 200)).toEqual([]);

    const seenOf = (id: string) => deployment.callbacks.of(id);
    await until('every callback is delivered', () => load.checks.every((id) => seenOf(id).length > 0));
    const keys = await deployment.publishedKeys();
    expect(load.checks.length).toBeGreaterThan(0);
    for (const id of load.checks) {
      expect(seenOf(id)).toHaveLength(1);
      for (const callback of seenOf(id)) expect(isAuthentic(callback, keys)).toBe(true);
    }
    const { length } = load.operations;
    expect(new Set(load.operations).size).toBe(length);
    await untilIncluded();
    expect(await deployment.received()).toBe(paid + BigInt(length));
    // Events go through the outbox and a queue to analytics.
    const countNew = async () => (await deployment.database.countIncludedAtAnalytics()) - counted;
    await until('analytics has counted every operation', async () => (await countNew()) >= length);
    expect(await countNew()).toBe(length);
  });

  it('T182: deployment with two replicas of every app: goes on from a cold copy of the database, taken under load, and an empty Redis', async () => {
    const wallet = generatePrivateKey();
    const token = await deployment.signIn(wallet);
    const userId = await deployment.userIdOf(token);
    const loadAddresses = () => Promise.all(PAYERS.map((payer) => deployment.addressOf(payer)));
    const addresses = await loadAddresses();
    const keys = await deployment.publishedKeys();
    const late = await CallbackLog.start();
    late.answer = (_, response) => void response.writeHead(503).end();
    const logs = [deployment.callbacks, late];
    const seenNow = () => logs.flatMap(({ seen }) => seen);
    deployment.callbacks.seen.length = 0;

    const load = new DeploymentLoad(deployment);
    for (const log of logs) load.startChecks(log);
    load.startOperations();
    await until('some are delivered, and some are not', () => logs.every(({ seen }) => seen.length > 20));
    const delivered = await deployment.database.listDelivered();
    const copy = await deployment.postgres.startCopy();
    await load.stop();
    // The deployment goes on for a while, so the copy is behind what has happened.
    late.acceptAll();
    await until('every callback is delivered', async () => {
      const all = new Set(await deployment.database.listDelivered());
      return load.checks.every((id) => all.has(id));
    });
    await untilIncluded();
    const paid = await deployment.received();
    const deliveryIds = new Map(seenNow().map(({ requestId, deliveryId }) => [requestId, deliveryId]));
    for (const { seen } of logs) seen.length = 0;
    await deployment.killAll();

    const redis = await LocalRedis.start();
    const env = { DATABASE_URL: await deployment.database.moveTo(copy.url), REDIS_URL: redis.url };
    const copied = new Set(await deployment.database.listDelivered());
    expect(delivered.filter((id) => !copied.has(id))).toEqual([]);
    const waiting = await deployment.database.listChecks();
    for (const name of APPS) await deployment.addReplica(name, env);

    // What is sealed or signed by stored keys stays valid.
    expect(await deployment.userIdOf(token)).toBe(userId);
    expect(await deployment.userIdOf(await deployment.signIn(wallet))).toBe(userId);
    expect(await loadAddresses()).toEqual(addresses);
    const { body } = await deployment.requestCheck(deployment.callbacks);

    // Jobs go on. What the copy does not know as delivered is delivered again, under the same id.
    await until('every callback is delivered', async () => {
      const all = new Set(await deployment.database.listDelivered());
      return [...waiting, body.requestId].every((id) => all.has(id));
    });
    for (const callback of seenNow()) {
      expect(copied).not.toContain(callback.requestId);
      expect(isAuthentic(callback, keys)).toBe(true);
      const { requestId, deliveryId } = callback;
      expect(deliveryId).toBe(deliveryIds.get(requestId) ?? deliveryId);
    }
    expect(late.seen.length).toBeGreaterThan(0);

    // No operation is executed twice, and accounts go on, although the chain is ahead of the copy.
    await untilIncluded();
    expect(await deployment.received()).toBe(paid);
    for (const payer of PAYERS) expect(await deployment.pay(payer)).toMatchObject({ status: 200 });
    await untilIncluded();
    expect(await deployment.received()).toBe(paid + BigInt(PAYERS.length));

    await deployment.killAll();
    await Promise.all([late.stop(), redis.stop(), deployment.database.stop()]);
    await copy.stop();
  });
});
