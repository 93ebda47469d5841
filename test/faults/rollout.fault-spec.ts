import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { generatePrivateKey } from 'viem/accounts';
import { isAuthentic } from '../support/callback-log.js';
import { describeWithRedis } from '../support/needs.js';
import { until } from '../support/until.js';
import { APPS, type AppName, Deployment, type Response } from './deployment.js';

jest.setTimeout(400_000);

/** A release is tried with ROLLOUT_REQUESTS=10000 (CONTRIBUTING.md). */
const REQUESTS = Number(process.env.ROLLOUT_REQUESTS ?? 2_000);
const LOAD_MS = 240_000;
const CHECK = '/access-control/check-roles';
const PAUSE_MS = 5;
/** Checks with callbacks and operations write rows and transactions, so they are a small part of the load. */
const WRITE_PAUSE_MS = 250;
const PAYERS = ['1', '2', '3', '4', '5', '6'];

interface Outcome {
  readonly what: string;
  readonly status: number;
  readonly problem?: string;
}

/** One kind of request, sent by so many callers at a time. */
interface Kind {
  readonly what: string;
  readonly callers: number;
  readonly pauseMs: number;
  readonly send: (caller: number) => Promise<Response<unknown>>;
}

describeWithRedis('a rollout of every app', () => {
  let deployment: Deployment;
  const outcomes: Outcome[] = [];
  const checks: string[] = [];
  const operations: string[] = [];
  let isOver = false;

  beforeAll(async () => {
    deployment = await Deployment.start();
  });

  afterAll(() => deployment.stop());

  const createKinds = async (): Promise<Kind[]> => {
    const authorization = await deployment.signIn(generatePrivateKey());
    const asUser = { headers: { Authorization: authorization } };
    const { body } = await deployment.request<{ id: string }>('/communities', {
      ...asUser,
      body: { name: 'Apes' },
    });
    const account = deployment.chain.client.account.address;
    const check = {
      account,
      rules: [{ type: 'NATIVE', chainId: deployment.chain.chainId, minToken: '1', roleId: 'rich' }],
    };
    const [payer = ''] = PAYERS;
    const asBot = { headers: { 'X-BOT-TOKEN': deployment.platforms.botToken(payer) } };
    const read = (path: string, callers: number, options = {}): Kind => ({
      what: path,
      callers,
      pauseMs: PAUSE_MS,
      send: () => deployment.request(path, options),
    });
    return [
      read(CHECK, 8, { body: check }),
      read('/account/me', 2, asUser),
      read('/accountkit/v1/chatbot/accounts', 2, asBot),
      read(`/analytics/${body.id}/user-interactions?range=7d`, 2, asUser),
      read('/.well-known/jwks.json', 2),
      {
        what: 'a check with a callback',
        callers: 2,
        pauseMs: WRITE_PAUSE_MS,
        send: async () => {
          const callbackUrl = deployment.callbacks.url();
          const answer = await deployment.request<{ requestId: string }>(CHECK, {
            body: { ...check, callbackUrl },
          });
          checks.push(answer.body.requestId);
          return answer;
        },
      },
      {
        what: 'a user operation',
        callers: PAYERS.length,
        pauseMs: WRITE_PAUSE_MS * PAYERS.length,
        send: async (caller) => {
          const answer = await deployment.pay(PAYERS[caller] ?? '');
          operations.push(answer.body.userOperationHash ?? '');
          return answer;
        },
      },
    ];
  };

  const call = async ({ what, pauseMs, send }: Kind, caller: number): Promise<void> => {
    while (!isOver) {
      try {
        const { status, body } = await send(caller);
        outcomes.push({ what, status, ...(status === 200 ? {} : { problem: JSON.stringify(body) }) });
      } catch (error) {
        const { message, cause } = error as Error;
        outcomes.push({ what, status: 0, problem: `${message} ${String(cause)}` });
      }
      await sleep(pauseMs);
    }
  };

  it('T181: loses no request, no check, no callback and no user operation', async () => {
    for (const payer of PAYERS) await deployment.fundedAccount(payer);
    const paidBefore = await deployment.received();
    const kinds = await createKinds();
    const callers = kinds.flatMap((kind) =>
      Array.from({ length: kind.callers }, (_, caller) => call(kind, caller)),
    );
    await sleep(500);
    const codes = await Promise.all(
      APPS.map(async (name: AppName) => [name, await deployment.rollOut(name)]),
    );
    await until('enough requests', () => outcomes.length >= REQUESTS, LOAD_MS);
    isOver = true;
    await Promise.all(callers);
    // Each instance has ended what it had begun, within its grace.
    expect(codes).toEqual(APPS.map((name) => [name, [0, 0]]));
    expect(outcomes.filter(({ status }) => status !== 200)).toEqual([]);

    await until('every callback is delivered', () =>
      checks.every((id) => deployment.callbacks.of(id).length > 0),
    );
    const keys = await deployment.publishedKeys();
    for (const id of checks) {
      const seen = deployment.callbacks.of(id);
      expect(seen).toHaveLength(1);
      for (const callback of seen) expect(isAuthentic(callback, keys)).toBe(true);
    }
    expect(new Set(operations).size).toBe(operations.length);
    await until('every operation is included', async () => (await deployment.unfinishedOperations()) === 0);
    expect(await deployment.received()).toBe(paidBefore + BigInt(operations.length));
    // Events go through outbox and queue to analytics, which counts each once.
    await until('analytics has counted every operation', async () => {
      const [row] = await deployment.sql<{ count: number }>(
        "SELECT coalesce(sum(count), 0)::int AS count FROM analytics.operation_counts WHERE state = 'included'",
      );
      return row?.count === operations.length + PAYERS.length;
    });
  });
});
