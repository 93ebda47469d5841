import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { REDIS_REFUSALS } from '@app/config';
import type { Address } from 'viem';
import { type AccountKitSuite, startAccountKitSuite } from '../account-kit/account-kit-suite.js';
import { LocalRedis } from '../support/local-redis.js';
import { describeWithRedis } from '../support/needs.js';
import { until } from '../support/until.js';

const RESUME_MS = 30_000;
const CHAIN_ID = 31_337;
const TARGET: Address = '0x0000000000000000000000000000000000015901';
const APPS = ['gateway', 'identity', 'token-gating', 'account-kit', 'analytics'];
const QUEUE_WORKERS = ['token-gating', 'analytics'];
/** Each app with `queue_backend_usable`. */
const QUEUE_APPS = APPS.filter((name) => name !== 'gateway');

describeWithRedis('the suite, while Redis refuses writes', () => {
  let redis: LocalRedis;
  let kit: AccountKitSuite;
  let apiKey: string;

  beforeAll(async () => {
    redis = await LocalRedis.start({ args: ['--maxmemory-policy', 'noeviction'] });
    const env = { REDIS_URL: redis.url, EXECUTOR_POLL_MS: '200', COUNTER_TIMEOUT_MS: '5000' };
    kit = await startAccountKitSuite(env, { hasConsumers: true });
    ({ apiKey } = await kit.suite.createClient({ scopes: ['token-gating'] }));
  });

  afterAll(async () => {
    await kit.stop();
    await redis.stop();
  });

  const read = async (name: string, path: string) =>
    (await fetch(kit.suite.app(name).managementUrl + path)).text();
  const findUnready = async (): Promise<string[]> => {
    const unready = await Promise.all(
      APPS.map(async (name) => {
        const response = await fetch(`${kit.suite.app(name).managementUrl}/health/ready`);
        const { checks } = (await response.json()) as { checks: Record<string, string> };
        return response.status === 200 ? [] : [[name, checks['queue_writes']]];
      }),
    );
    return unready.flat().map((one) => one.join(': '));
  };
  const untilReady = () => until('ready', async () => (await findUnready()).length === 0, RESUME_MS);

  const check = (body: object) =>
    kit.call<{ requestId?: string; roles?: unknown[] }>('/access-control/check-roles', {
      method: 'POST',
      headers: { 'X-API-Key': apiKey },
      body: {
        account: kit.chain.client.account.address,
        rules: [{ type: 'NATIVE', chainId: CHAIN_ID, minToken: '1', roleId: 'rich' }],
        ...body,
      },
    });

  const submit = async (userId: string) => {
    const headers = { 'X-ACCESS-TOKEN': kit.platforms.botToken(userId) };
    const accounts = await kit.call<{ evm: { address: Address }[] }>(
      '/accountkit/v2/platform/accounts?platform=chat',
      { headers },
    );
    await kit.chain.setNativeBalance(accounts.body.evm[0]?.address ?? '0x', 10n ** 18n);
    const { status, body } = await kit.call<{ userOperationHash: string }>(
      `/accountkit/v2/platform/evm/submitUserOperation?platform=chat&chainId=${CHAIN_ID}`,
      { method: 'POST', headers, body: { userOps: [{ target: TARGET, value: '1' }] } },
    );
    expect({ status, body }).toMatchObject({ status: 200 });
  };
  const readReceived = () => kit.chain.client.getBalance({ address: TARGET });

  it('T241: NOREPLICAS: token-gating and analytics are not ready; gateway, identity and account-kit do their work; all say so in metrics', async () => {
    await untilReady();
    await redis.command('CONFIG SET min-replicas-to-write 1');
    await until('not ready', async () => (await findUnready()).length === QUEUE_WORKERS.length);
    await kit.suite.createClient({ scopes: ['accountkit'] });
    await submit('8301');
    await until('the operation is on the chain', async () => (await readReceived()) === 1n);
    for (const name of QUEUE_APPS)
      await until(`${name} says so`, async () =>
        /^queue_backend_usable\S* 0$/m.test(await read(name, '/metrics')),
      );
    for (const name of APPS)
      expect([name, await read(name, '/metrics')]).toEqual([
        name,
        expect.stringMatching(/^redis_write_refusals_total\{code="NOREPLICAS",.*\} [1-9]/m),
      ]);
    expect(await findUnready()).toEqual(
      QUEUE_WORKERS.map(
        (name) => `${name}: Redis refuses writes: ${REDIS_REFUSALS.NOREPLICAS.reason} (NOREPLICAS)`,
      ),
    );
    await redis.command('CONFIG SET min-replicas-to-write 0');
    await untilReady();
  });

  it('T08: OOM: every app stays ready, answers checks, keeps those for the queue, and says so in metrics', async () => {
    await redis.command('CONFIG SET maxmemory 1');
    for (const name of QUEUE_APPS)
      await until(`${name} says so`, async () =>
        /^redis_write_refusals_total\{code="OOM",.*\} [1-9]/m.test(await read(name, '/metrics')),
      );
    expect((await check({})).body.roles).toEqual([{ id: 'rich', granted: true }]);
    const { status, body } = await check({ async: true });
    expect(status).toBe(200);
    await sleep(2_000);
    expect(await findUnready()).toEqual([]);
    await redis.command('CONFIG SET maxmemory 0');
    const path = `/access-control/check-roles/responses/${body.requestId ?? ''}`;
    await until(
      'answered',
      async () => (await kit.call(path, { headers: { 'X-API-Key': apiKey } })).status === 200,
      RESUME_MS,
    );
  });
});
