import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type InternalSigningKey, PRINCIPAL_HEADER, PrincipalIssuer } from '@app/auth';
import { createPostgresBackend, Queue } from 'bullmq';
import { root } from '../../scripts/build/project.mjs';
import type { Client, ClientOptions } from '../support/create-client.js';
import { LocalChain } from '../support/local-chain.js';
import { LocalRedis } from '../support/local-redis.js';
import { runningSuite, type RunningSuite } from '../support/running-suite.js';
import { until } from '../support/until.js';
import { describeBackends } from '../support/needs.js';
import { leaseEchoedGateway } from '../gateway/echoed-gateway.js';

const run = promisify(execFile);
const rules = [{ type: 'NATIVE', chainId: 31337, minToken: '1', roleId: 'rich' }];
const backends: ('PostgreSQL' | 'Redis')[] = ['PostgreSQL', 'Redis'];

describeBackends(backends, 'queued checks, on %s', (backend) => {
  let chain: LocalChain;
  let redis: LocalRedis | undefined;
  let suite: RunningSuite;
  let queue: Pick<Queue, 'add' | 'getJob' | 'getJobCounts' | 'getDelayedCount' | 'close'>;

  beforeAll(async () => {
    chain = await LocalChain.start();
    redis = backend === 'Redis' ? await LocalRedis.start({ args: ['--appendonly', 'yes'] }) : undefined;
    suite = await runningSuite({
      rpcUrls: { 31337: chain.rpcUrl },
      // A counter that answers late counts in memory, too.
      env: redis ? { REDIS_URL: redis.url, COUNTER_TIMEOUT_MS: '5000' } : {},
    });
    queue = redis
      ? new Queue('check-roles', { prefix: '{gatehouse}', connection: { url: redis.url } })
      : new Queue(
          'check-roles',
          { connection: { connectionString: suite.databaseUrl, schema: 'queue', max: 2 } },
          createPostgresBackend,
        );
  });

  afterAll(async () => {
    await queue.close();
    await suite.stop();
    await redis?.stop();
    await chain.stop();
  });

  const createClient = (options?: ClientOptions): Promise<Client> => suite.createClient(options);

  async function put({ clientId }: Pick<Client, 'clientId'>, more: object = {}): Promise<string> {
    const requestId = randomUUID();
    const { address } = chain.client.account;
    const job = { version: 1, requestId, clientId, account: address, rules, ...more };
    await queue.add('check-roles', job, { jobId: job.requestId, removeOnComplete: true });
    return job.requestId;
  }

  const poll = async ({ apiKey }: Client, requestId: string): Promise<Response> =>
    fetch(`${suite.gatewayUrl}/access-control/check-roles/responses/${requestId}`, {
      headers: { 'X-API-Key': apiKey },
    });

  async function result(client: Client, requestId: string): Promise<unknown> {
    let response = await poll(client, requestId);
    await until(
      `${requestId} is done`,
      async () => (response = await poll(client, requestId)).status === 200,
    );
    return response.json();
  }

  async function failedReason(requestId: string): Promise<string> {
    let reason: string | undefined;
    await until(`${requestId} has failed`, async () => {
      const job = await queue.getJob(requestId);
      reason = (await job?.isFailed()) ? job?.failedReason : undefined;
      return reason !== undefined;
    });
    return reason ?? '';
  }

  /** Requests left in the month; the request that reads it counts too. */
  async function monthLeft(client: Client): Promise<number> {
    const { headers } = await fetch(`${suite.gatewayUrl}/openapi.json`, {
      headers: { 'X-API-Key': client.apiKey },
    });
    return Number(/"month";r=(\d+)/.exec(headers.get('RateLimit') ?? '')?.[1]);
  }

  it('check-roles job: a contract account counts only on the chain that its id names', async () => {
    const client = await createClient();
    const wallet = `0x${'77'.repeat(20)}` as const;
    await chain.setNativeBalance(wallet, 10n ** 18n);
    await chain.client.setCode({ address: wallet, bytecode: '0x5b' });
    const grantedTo = async (account: string) => result(client, await put(client, { account }));
    const roles = (granted: boolean) => ({ roles: [{ id: 'rich', granted }], errors: [] });
    expect(await grantedTo(`eip155:31338:${wallet}`)).toMatchObject(roles(false));
    expect(await grantedTo(`eip155:31337:${wallet}`)).toMatchObject(roles(true));
    expect(await grantedTo(wallet)).toMatchObject(roles(true));
  });

  it('queued checks: are answered to an internal service in the same form as by polling', async () => {
    const client = await createClient();
    const example = join(root, 'docs/examples/check-roles-over-the-queue.mjs');
    const { stdout } = await run(process.execPath, [example], {
      env: {
        PATH: process.env['PATH'],
        DATABASE_URL: suite.databaseUrl,
        CLIENT_ID: client.clientId,
        ACCOUNT: chain.client.account.address,
        RULES: JSON.stringify(rules),
        ...(redis ? { REDIS_URL: redis.url } : {}),
      },
      timeout: 120_000,
    });
    const answer = JSON.parse(stdout) as { requestId: string };
    expect(answer).toEqual({
      requestId: answer.requestId,
      roles: [{ id: 'rich', granted: true }],
      errors: [],
    });
    expect(await result(client, answer.requestId)).toEqual(answer);
  });

  it('queued checks: count once on the plan of their client application, however often they are enqueued', async () => {
    const client = await createClient({ plan: 'free' });
    const before = await monthLeft(client);
    const ids = await Promise.all(Array.from({ length: 20 }, () => put(client)));
    for (const id of ids) await put(client, { requestId: id });
    await until('the queue is empty', async () => {
      const counts = await queue.getJobCounts('wait', 'active', 'delayed');
      return Object.values(counts).every((count) => count === 0);
    });
    expect(await monthLeft(client)).toBe(before - ids.length - 1);
  });

  it('queued checks: fail when the monthly quota is used up', async () => {
    const client = await createClient({ requestsPerMonth: 2 });
    const first = await put(client);
    const second = await put(client);
    await until(
      'both are accepted',
      async () => !(await queue.getJob(first)) && !(await queue.getJob(second)),
    );
    expect(await failedReason(await put(client))).toContain('used up');
  });

  it('queued checks: fail for unknown client applications and invalid requests, with the path of the field', async () => {
    const client = await createClient();
    expect(await failedReason(await put({ clientId: 'client_unknown' }))).toMatch(/^clientId: /);
    const fraction = [{ ...rules[0], minToken: 'much' }];
    expect(await failedReason(await put(client, { rules: fraction }))).toMatch(/: rules\.0\.minToken: /);
    expect(await failedReason(await put(client, { rules: [{ ...rules[0], chainId: 999_999 }] }))).toMatch(
      /^rules\.0\.chainId: /,
    );
    const existing = await put(client);
    await result(client, existing);
    // A job of this id would be ignored while the queue still has the first one.
    await until('the first job is removed', async () => !(await queue.getJob(existing)));
    expect(
      await failedReason(await put(client, { requestId: existing, rules: [...rules, ...rules] })),
    ).toMatch(/^requestId: /);
  });

  it('queued checks: fail for text that PostgreSQL cannot store, before they are counted', async () => {
    const client = await createClient({ plan: 'free' });
    const before = await monthLeft(client);
    const named = (more: object) => ({ rules: [{ ...rules[0], ...more }] });
    const odd: [object, RegExp][] = [
      [{ clientId: `${client.clientId}\0` }, /clientId: /],
      [{ clientId: `${client.clientId}\ud800` }, /clientId: /],
      [named({ name: 'a\0b' }), /rules\.0\.name: .*NUL/],
      [named({ roleId: '\ud800' }), /rules\.0\.roleId: .*surrogate/],
    ];
    for (const [more, reason] of odd) {
      // The queue on PostgreSQL rejects such a job itself.
      if (redis) expect(await failedReason(await put(client, more))).toMatch(reason);
      else await expect(put(client, more)).rejects.toThrow(/[Uu]nicode|json/);
    }
    expect(await monthLeft(client)).toBe(before - 1);
  });

  it('queued checks: match their id case-insensitively and count once', async () => {
    const client = await createClient({ plan: 'free' });
    const requestId = randomUUID();
    const upperCase = requestId.toUpperCase();
    await put(client, { requestId: upperCase });
    expect(await result(client, requestId)).toMatchObject({ requestId, roles: [{ granted: true }] });
    const before = await monthLeft(client);
    await put(client, { requestId: upperCase });
    await until('the job is finished', async () => !(await queue.getJob(upperCase)));
    expect(await monthLeft(client)).toBe(before - 1);
  });

  it('T314: queued checks: with trees of rules are of version 2, and of no other', async () => {
    const client = await createClient();
    const tree = { roleId: 'tree', allOf: [...rules.map(({ roleId: _, ...rule }) => rule)] };
    const trees = { version: 2, rules: [tree, ...rules] };
    expect(await result(client, await put(client, trees))).toMatchObject({
      roles: [
        { id: 'tree', granted: true },
        { id: 'rich', granted: true },
      ],
      errors: [],
    });
    const reasonOf = async (more: object) => failedReason(await put(client, { ...trees, ...more }));
    expect(await reasonOf({ version: 1 })).toContain('rules.0: is a tree of rules, which needs version 2');
    expect(await reasonOf({ version: 3 })).toContain('version: ');
    expect(await reasonOf({ rules })).toContain('version: must be 1');
    expect(await reasonOf({ rules: [{ ...tree, roleId: 7 }] })).toContain('rules.0.roleId: ');
    expect(
      await reasonOf({ rules: [{ not: { ...rules[0], roleId: undefined, chainId: 999_999 } }] }),
    ).toContain('rules.0.not.chainId: ');
  });

  it('queued checks: wait while the gateway is unavailable', async () => {
    const client = await createClient();
    const gateway = suite.app('gateway');
    gateway.process.kill('SIGSTOP');
    const requestId = await put(client);
    await until('the job is delayed', async () => (await queue.getDelayedCount()) === 1);
    gateway.process.kill('SIGCONT');
    expect(await result(client, requestId)).toMatchObject({ roles: [{ id: 'rich', granted: true }] });
  });
});

it('checks-from-queue metrics: counts requests for internal services only', async () => {
  const { suite } = await leaseEchoedGateway();
  const url = `${suite.gatewayUrl}/internal/plan-usage`;
  const post = (headers: Record<string, string>) =>
    fetch(url, { method: 'POST', body: '{"clientIds":["client_1"]}', headers });
  const { apiKey } = await suite.createClient();
  const json = { 'Content-Type': 'application/json' };
  expect((await post(json)).status).toBe(404);
  expect((await post({ ...json, 'X-API-Key': apiKey })).status).toBe(404);
  expect((await post({ ...json, [PRINCIPAL_HEADER]: 'a.b.c' })).status).toBe(404);
  const tokenOf = (name: string, audience: string) =>
    new PrincipalIssuer(suite.secrets.signing[name] as InternalSigningKey).issueToken(
      { kind: 'service', name },
      audience,
    );
  for (const [name, audience, status] of [
    ['analytics', 'gateway', 404],
    ['token-gating', 'identity', 404],
    ['identity', 'gateway', 200],
    ['token-gating', 'gateway', 200],
  ] as const) {
    const token = await tokenOf(name, audience);
    for (const _ of ['first', 'known'])
      expect((await post({ ...json, [PRINCIPAL_HEADER]: token })).status).toBe(status);
  }
});
