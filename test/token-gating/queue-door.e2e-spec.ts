import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type InternalSigningKey, PRINCIPAL_HEADER, PrincipalIssuer } from '@app/auth';
import { createPostgresBackend, Queue } from 'bullmq';
import { root } from '../../scripts/local/project.mjs';
import type { Client, ClientOptions } from '../support/create-client.js';
import { LocalChain } from '../support/local-chain.js';
import { hasRedis, LocalRedis } from '../support/local-redis.js';
import { runningSuite, type RunningSuite } from '../support/running-suite.js';
import { until } from '../support/until.js';

const run = promisify(execFile);
const rules = [{ type: 'NATIVE', chainId: 31337, minToken: '1', roleId: 'rich' }];
const backends: ('PostgreSQL' | 'Redis')[] = hasRedis ? ['PostgreSQL', 'Redis'] : ['PostgreSQL'];

describe.each(backends)('the queue as a door, on %s', (backend) => {
  let chain: LocalChain;
  let redis: LocalRedis | undefined;
  let suite: RunningSuite;
  let queue: Pick<Queue, 'add' | 'getJob' | 'getJobCounts' | 'getDelayedCount' | 'close'>;

  beforeAll(async () => {
    chain = await LocalChain.start();
    redis = backend === 'Redis' ? await LocalRedis.start({ args: ['--appendonly', 'yes'] }) : undefined;
    suite = await runningSuite({
      rpcUrls: { 31337: chain.rpcUrl },
      env: redis ? { REDIS_URL: redis.url } : {},
    });
    queue = redis
      ? new Queue('check-roles', { prefix: '{gatehouse}', connection: { url: redis.url } })
      : new Queue(
          'check-roles',
          { connection: { connectionString: suite.databaseUrl, schema: 'queue', max: 2 } },
          createPostgresBackend,
        );
  }, 90_000);

  afterAll(async () => {
    await queue.close();
    await suite.stop();
    await redis?.stop();
    await chain.stop();
  });

  const client = (options?: ClientOptions): Promise<Client> => suite.createClient(options);

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

  async function result(asker: Client, requestId: string): Promise<unknown> {
    let answer = await poll(asker, requestId);
    await until(`${requestId} is done`, async () => (answer = await poll(asker, requestId)).status === 200);
    return answer.json();
  }

  async function refusal(requestId: string): Promise<string> {
    let reason: string | undefined;
    await until(`${requestId} has failed`, async () => {
      const job = await queue.getJob(requestId);
      reason = (await job?.isFailed()) ? job?.failedReason : undefined;
      return reason !== undefined;
    });
    return reason ?? '';
  }

  /** What the plan of the month still has, after this question was counted too. */
  async function monthLeft(asker: Client): Promise<number> {
    const { headers } = await fetch(`${suite.gatewayUrl}/openapi.json`, {
      headers: { 'X-API-Key': asker.apiKey },
    });
    return Number(/"month";r=(\d+)/.exec(headers.get('RateLimit') ?? '')?.[1]);
  }

  it('answers an internal service, in the form that polling has', async () => {
    const asker = await client();
    const example = join(root, 'docs/examples/check-roles-over-the-queue.mjs');
    const { stdout } = await run(process.execPath, [example], {
      env: {
        PATH: process.env['PATH'],
        DATABASE_URL: suite.databaseUrl,
        CLIENT_ID: asker.clientId,
        ACCOUNT: chain.client.account.address,
        RULES: JSON.stringify(rules),
        ...(redis ? { REDIS_URL: redis.url } : {}),
      },
      timeout: 30_000,
    });
    const answer = JSON.parse(stdout) as { requestId: string };
    expect(answer).toEqual({
      requestId: answer.requestId,
      roles: [{ id: 'rich', granted: true }],
      errors: [],
    });
    expect(await result(asker, answer.requestId)).toEqual(answer);
  });

  it("counts each check once on its client application's plan, however often it is asked for", async () => {
    const asker = await client({ plan: 'free' });
    const before = await monthLeft(asker);
    const ids = await Promise.all(Array.from({ length: 20 }, () => put(asker)));
    for (const id of ids) await put(asker, { requestId: id });
    await until('the queue is empty', async () => {
      const counts = await queue.getJobCounts('wait', 'active', 'delayed');
      return Object.values(counts).every((count) => count === 0);
    });
    expect(await monthLeft(asker)).toBe(before - ids.length - 1);
  });

  it('refuses what a used-up month refuses over HTTP, and says so', async () => {
    const asker = await client({ requestsPerMonth: 2 });
    const first = await put(asker);
    const second = await put(asker);
    await until(
      'both are accepted',
      async () => !(await queue.getJob(first)) && !(await queue.getJob(second)),
    );
    expect(await refusal(await put(asker))).toContain('used up');
  });

  it('refuses unknown client applications and bad requests, and names the field', async () => {
    const asker = await client();
    expect(await refusal(await put({ clientId: 'client_nobody' }))).toMatch(/^clientId: /);
    const fraction = [{ ...rules[0], minToken: 'much' }];
    expect(await refusal(await put(asker, { rules: fraction }))).toMatch(/: rules\.0\.minToken: /);
    expect(await refusal(await put(asker, { rules: [{ ...rules[0], chainId: 999_999 }] }))).toMatch(
      /^rules\.0\.chainId: /,
    );
    const taken = await put(asker);
    await result(asker, taken);
    expect(await refusal(await put(asker, { requestId: taken, rules: [...rules, ...rules] }))).toMatch(
      /^requestId: /,
    );
  });

  it('refuses what cannot be stored before it is counted, and says where it is', async () => {
    const asker = await client({ plan: 'free' });
    const before = await monthLeft(asker);
    const named = (more: object) => ({ rules: [{ ...rules[0], ...more }] });
    const odd: [object, RegExp][] = [
      [{ clientId: `${asker.clientId}\0` }, /clientId: /],
      [{ clientId: `${asker.clientId}\ud800` }, /clientId: /],
      [named({ name: 'a\0b' }), /rules\.0\.name: .*NUL/],
      [named({ roleId: '\ud800' }), /rules\.0\.roleId: .*surrogate/],
    ];
    for (const [more, reason] of odd) {
      // PostgreSQL cannot hold it as a job either: there it is refused sooner still.
      if (redis) expect(await refusal(await put(asker, more))).toMatch(reason);
      else await expect(put(asker, more)).rejects.toThrow(/[Uu]nicode|json/);
    }
    expect(await monthLeft(asker)).toBe(before - 1);
  });

  it('knows a check by its id in whatever case it is written, and counts it once', async () => {
    const asker = await client({ plan: 'free' });
    const requestId = randomUUID();
    const shouted = requestId.toUpperCase();
    await put(asker, { requestId: shouted });
    expect(await result(asker, requestId)).toMatchObject({ requestId, roles: [{ granted: true }] });
    const before = await monthLeft(asker);
    await put(asker, { requestId: shouted });
    await until('it was looked at again', async () => !(await queue.getJob(shouted)));
    expect(await monthLeft(asker)).toBe(before - 1);
  });

  it('keeps checks while nobody can count them', async () => {
    const asker = await client();
    const gateway = suite.app('gateway');
    gateway.process.kill('SIGSTOP');
    const requestId = await put(asker);
    await until('the job was put off', async () => (await queue.getDelayedCount()) === 1);
    gateway.process.kill('SIGCONT');
    expect(await result(asker, requestId)).toMatchObject({ roles: [{ id: 'rich', granted: true }] });
  });
});

it('is a door for services alone: nobody else finds where they are counted', async () => {
  const suite = await runningSuite();
  const url = `${suite.gatewayUrl}/internal/plan-usage`;
  const ask = (headers: Record<string, string>) =>
    fetch(url, { method: 'POST', body: '{"clientIds":["client_1"]}', headers });
  try {
    const { apiKey } = await suite.createClient();
    const json = { 'Content-Type': 'application/json' };
    expect((await ask(json)).status).toBe(404);
    expect((await ask({ ...json, 'X-API-Key': apiKey })).status).toBe(404);
    expect((await ask({ ...json, [PRINCIPAL_HEADER]: 'a.b.c' })).status).toBe(404);
    const tokenOf = (name: string, audience: string) =>
      new PrincipalIssuer(suite.secrets.signing[name] as InternalSigningKey).issueToken(
        { kind: 'service', name },
        audience,
      );
    for (const [name, audience, status] of [
      ['identity', 'gateway', 404],
      ['token-gating', 'identity', 404],
      ['token-gating', 'gateway', 200],
    ] as const) {
      const token = await tokenOf(name, audience);
      for (const _ of ['first', 'known'])
        expect((await ask({ ...json, [PRINCIPAL_HEADER]: token })).status).toBe(status);
    }
  } finally {
    await suite.stop();
  }
});
