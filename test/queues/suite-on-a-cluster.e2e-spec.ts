import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe as describeAlways, expect, it } from '@jest/globals';
import { CREDENTIALS_CHANGED_CHANNEL, Subscriber } from '@app/pubsub';
import { root } from '../../scripts/local/project.mjs';
import type { Client } from '../support/create-client.js';
import { LocalChain } from '../support/local-chain.js';
import { hasRedis } from '../support/local-redis.js';
import { LocalRedisCluster } from '../support/local-redis-cluster.js';
import { type RunningSuite, runningSuite } from '../support/running-suite.js';
import { until } from '../support/until.js';

const describe = hasRedis ? describeAlways : describeAlways.skip;
const run = promisify(execFile);
const rules = [{ type: 'NATIVE', chainId: 31337, minToken: '1', roleId: 'rich' }];

describe('the suite on a Redis Cluster', () => {
  let chain: LocalChain;
  let cluster: LocalRedisCluster;
  let suite: RunningSuite;
  let urls: string[];

  beforeAll(async () => {
    [chain, cluster] = await Promise.all([
      LocalChain.start(),
      LocalRedisCluster.start({ args: ['--appendonly', 'yes', '--appendfsync', 'always'] }),
    ]);
    // A busy machine is not a Redis that is away.
    const env = { REDIS_URL: cluster.url, COUNTER_TIMEOUT_MS: '5000' };
    suite = await runningSuite({ rpcUrls: { 31337: chain.rpcUrl }, env });
    urls = [suite.gatewayUrl, (await suite.anotherGateway()).url];
  }, 90_000);

  afterAll(async () => {
    await suite.stop();
    await cluster.stop();
    await chain.stop();
  });

  const ask = (url: string, { apiKey }: Client, path: string, body?: object): Promise<Response> =>
    fetch(`${url}/access-control/check-roles${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { 'X-API-Key': apiKey, 'Content-Type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });

  const account = () => chain.client.account.address;

  const example = (clientId: string) =>
    run(process.execPath, [join(root, 'docs/examples/check-roles-over-the-queue.mjs')], {
      env: {
        PATH: process.env['PATH'],
        REDIS_URL: cluster.url,
        CLIENT_ID: clientId,
        ACCOUNT: account(),
        RULES: JSON.stringify(rules),
      },
      timeout: 30_000,
    });

  const answered = async (client: Client): Promise<unknown> => {
    const [url = ''] = urls;
    const response = await ask(url, client, '', { account: account(), rules, async: true });
    const { requestId } = (await response.json()) as { requestId: string };
    let answer = response;
    await until('answered', async () => {
      answer = await ask(url, client, `/responses/${requestId}`);
      return answer.status === 200;
    });
    return answer.json();
  };

  const granted = { roles: [{ id: 'rich', granted: true }], errors: [] };

  it('answers an internal service over the queue, or says why not', async () => {
    const { clientId } = await suite.createClient();
    expect(JSON.parse((await example(clientId)).stdout)).toMatchObject(granted);
    await expect(example('client_nobody')).rejects.toThrow('Refused: clientId: ');
  });

  it('counts requests at both gateways together', async () => {
    const client = await suite.createClient({ plan: 'free' });
    const statuses = async (count: number): Promise<number[]> => {
      const all = Array.from({ length: count }, (_, at) =>
        ask(urls[at % 2] ?? '', client, '', { account: account(), rules }),
      );
      return (await Promise.all(all)).map(({ status }) => status);
    };
    await statuses(2); // known at both
    await sleep(1_100);
    const begun = performance.now();
    const all = await statuses(40);
    const seconds = (performance.now() - begun) / 1_000;
    const passed = all.filter((status) => status === 200).length;
    expect(all.filter((status) => status === 429)).toHaveLength(40 - passed);
    // Ten a second, and the machine may take longer than one; each gateway by itself would let pass as many.
    expect(passed).toBeGreaterThanOrEqual(10);
    expect(passed).toBeLessThanOrEqual(10 * (1 + seconds));
  });

  it('hears of a revoked key at both gateways', async () => {
    const client = await suite.createClient();
    const statuses = () =>
      Promise.all(
        urls.map(async (url) => (await ask(url, client, '', { account: account(), rules })).status),
      );
    expect(await statuses()).toEqual([200, 200]);
    let told = 0;
    const listener = new Subscriber(cluster.url, CREDENTIALS_CHANGED_CHANNEL, () => (told += 1));
    await until('listening', () => told === 1);
    await suite.clientCommand(['revoke-key', client.apiKey]);
    await until('told', () => told === 2);
    listener.close();
    await until('refused', async () => (await statuses()).every((status) => status === 401), 20_000);
  });

  it('accepts checks while a node is dead, and answers them when it is back', async () => {
    const client = await suite.createClient();
    expect(await answered(client)).toMatchObject(granted);
    const node = await cluster.nodeOf('{gatehouse}:check-roles:wait');
    await node.kill();
    const late = answered(client);
    await sleep(3_000);
    await node.start();
    expect(await late).toMatchObject(granted);
    expect(await answered(client)).toMatchObject(granted);
  }, 120_000);
});
