import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { CREDENTIALS_CHANGED_CHANNEL, Subscriber } from '@app/pubsub';
import { root } from '../../scripts/build/project.mjs';
import type { Client } from '../support/create-client.js';
import { LocalChain } from '../support/local-chain.js';
import { LocalRedisCluster } from '../support/local-redis-cluster.js';
import { measureBurst } from '../support/measure-burst.js';
import { type RunningSuite, runningSuite } from '../support/running-suite.js';
import { until } from '../support/until.js';
import { describeWithRedis } from '../support/needs.js';

const run = promisify(execFile);
const rules = [{ type: 'NATIVE', chainId: 31337, minToken: '1', roleId: 'rich' }];

describeWithRedis('the suite on a Redis Cluster', () => {
  let chain: LocalChain;
  let cluster: LocalRedisCluster;
  let suite: RunningSuite;
  let urls: string[];

  beforeAll(async () => {
    [chain, cluster] = await Promise.all([
      LocalChain.start(),
      LocalRedisCluster.start({ args: ['--appendonly', 'yes', '--appendfsync', 'always'] }),
    ]);
    // No command times out on a busy machine.
    const env = { REDIS_URL: cluster.url, COUNTER_TIMEOUT_MS: '5000' };
    suite = await runningSuite({ rpcUrls: { 31337: chain.rpcUrl }, env });
    urls = [suite.gatewayUrl, (await suite.anotherGateway()).url];
  });

  afterAll(async () => {
    await suite.stop();
    await cluster.stop();
    await chain.stop();
  });

  const request = (url: string, { apiKey }: Client, path: string, body?: object): Promise<Response> =>
    fetch(`${url}/access-control/check-roles${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { 'X-API-Key': apiKey, 'Content-Type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });

  const account = () => chain.client.account.address;

  const runExample = (clientId: string) =>
    run(process.execPath, [join(root, 'docs/examples/check-roles-over-the-queue.mjs')], {
      env: {
        PATH: process.env['PATH'],
        REDIS_URL: cluster.url,
        CLIENT_ID: clientId,
        ACCOUNT: account(),
        RULES: JSON.stringify(rules),
      },
      timeout: 120_000,
    });

  const checkAsynchronously = async (client: Client): Promise<unknown> => {
    const [url = ''] = urls;
    const accepted = await request(url, client, '', { account: account(), rules, async: true });
    const { requestId } = (await accepted.json()) as { requestId: string };
    let response = accepted;
    await until('checked', async () => {
      response = await request(url, client, `/responses/${requestId}`);
      return response.status === 200;
    });
    return response.json();
  };

  const granted = { roles: [{ id: 'rich', granted: true }], errors: [] };

  it('suite on a Redis Cluster: answers an internal service over the queue, or rejects its check with a reason', async () => {
    const { clientId } = await suite.createClient();
    expect(JSON.parse((await runExample(clientId)).stdout)).toMatchObject(granted);
    await expect(runExample('client_nobody')).rejects.toThrow('Refused: clientId: ');
  });

  it('suite on a Redis Cluster: counts the requests of both gateways together', async () => {
    const client = await suite.createClient({ plan: 'free' });
    const sendBurst = async (count: number): Promise<number[]> => {
      const responses = Array.from({ length: count }, (_, index) =>
        request(urls[index % 2] ?? '', client, '', { account: account(), rules }),
      );
      return (await Promise.all(responses)).map(({ status }) => status);
    };
    await sendBurst(2); // caches the API key at both gateways
    await sleep(1_100);
    const { result: statuses, windows } = await measureBurst(() => sendBurst(40));
    const admitted = statuses.filter((status) => status === 200).length;
    expect(statuses.filter((status) => status === 429)).toHaveLength(40 - admitted);
    // Separate counters would admit ten a second at each gateway.
    expect(admitted).toBeGreaterThanOrEqual(10);
    expect(admitted).toBeLessThanOrEqual(10 * windows);
  });

  it('suite on a Redis Cluster: notifies both gateways of a revoked key', async () => {
    const client = await suite.createClient();
    const requestAtBoth = () =>
      Promise.all(
        urls.map(async (url) => (await request(url, client, '', { account: account(), rules })).status),
      );
    expect(await requestAtBoth()).toEqual([200, 200]);
    let messages = 0;
    const subscriber = new Subscriber(cluster.url, CREDENTIALS_CHANGED_CHANNEL, () => (messages += 1));
    await until('connected', () => messages === 1);
    await suite.clientCommand(['revoke-key', client.apiKey]);
    await until('notified', () => messages === 2);
    subscriber.close();
    await until('rejected', async () => (await requestAtBoth()).every((status) => status === 401), 20_000);
  });

  it('suite on a Redis Cluster: accepts checks while a node is down, and finishes them when it is back', async () => {
    const client = await suite.createClient();
    expect(await checkAsynchronously(client)).toMatchObject(granted);
    const node = await cluster.nodeOf('{gatehouse}:check-roles:wait');
    await node.kill();
    const late = checkAsynchronously(client);
    await sleep(3_000);
    await node.start();
    expect(await late).toMatchObject(granted);
    expect(await checkAsynchronously(client)).toMatchObject(granted);
  }, 120_000);
});
