import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Address } from 'viem';
import {
  MAX_ACCEPTANCE_MS,
  MAX_SIGNING_MS,
  UNANSWERED_SECONDS,
} from '../../apps/account-kit/src/request-deadline.js';
import { gatewayConfigSchema } from '../../apps/gateway/src/gateway.config.js';
import { databasePool } from '../support/database-pool.js';
import { forwardTo, HostileNode } from '../support/hostile-node.js';
import { until } from '../support/until.js';
import { type AccountKitSuite, startAccountKitSuite } from './account-kit-suite.js';
import { holdSignedOperations } from './hold-signed-operations.js';

const TARGET: Address = '0x0000000000000000000000000000000000021000';
const FUNDS = 10n ** 18n;
/** The gateway waits longer than the node is held. */
const UPSTREAM_TIMEOUT_MS = '20000';

let kit: AccountKitSuite;
let pool: ReturnType<typeof databasePool>;
let node: HostileNode;
/** What each call of the node waits for. */
let hold: () => Promise<unknown> = () => Promise.resolve();
const CALLS = ['eth_call', 'eth_simulateV1'];
let heldMethods = CALLS;
/** A submission makes two calls one after the other; each is within the time limit of one request to a node. */
const SLOW_CALL_MS = MAX_ACCEPTANCE_MS / 2 + 1_000;

beforeAll(async () => {
  kit = await startAccountKitSuite(async (_contracts, chain) => {
    const forward = forwardTo(chain.rpcUrl);
    node = await HostileNode.start(async (request, response) => {
      if (heldMethods.includes(request.method)) await hold();
      await forward(request, response);
    });
    return {
      [`RPC_URL_${chain.chainId}`]: node.url,
      RPC_TIMEOUT_MS: '10000',
      UPSTREAM_TIMEOUT_MS,
    };
  });
  pool = databasePool(kit.suite.databaseUrl);
});

afterAll(async () => {
  await pool.end();
  await kit.stop();
  await node.stop();
});

async function fundedAccount(userId: string): Promise<Record<string, string>> {
  const headers = { 'X-ACCESS-TOKEN': kit.platforms.botToken(userId) };
  const path = '/accountkit/v2/platform/accounts?platform=chat';
  const { body } = await kit.call<{ evm: { address: Address }[] }>(path, { headers });
  for (const { address } of body.evm) await kit.chain.setNativeBalance(address, FUNDS);
  return headers;
}

const submitPath = () =>
  `/accountkit/v2/platform/evm/submitUserOperation?platform=chat&chainId=${kit.chain.chainId}`;
const submit = (headers: Record<string, string>) =>
  kit.call(submitPath(), { method: 'POST', headers, body: { userOps: [{ target: TARGET, value: '1' }] } });
const list = async (headers: Record<string, string>) =>
  (await kit.call<{ items: unknown[] }>('/accountkit/v2/platform/operations?platform=chat', { headers })).body
    .items;
const countStored = async () =>
  (await pool.query<{ id: string }>('SELECT id FROM account_kit.user_operations')).rowCount;

it('submitUserOperation: is refused, and nothing of it is stored, when the node takes longer than a request may take', async () => {
  const headers = await fundedAccount('21001');
  hold = () => sleep(SLOW_CALL_MS);
  const outcomes = await Promise.all([
    submit(headers),
    submit({ ...headers, 'Idempotency-Key': 'slow' }),
    kit.call(`/accountkit/v1/chatbot/evm/mint?chainId=${kit.chain.chainId}`, {
      method: 'POST',
      headers: { 'X-BOT-TOKEN': headers['X-ACCESS-TOKEN'] ?? '' },
      body: { name: 'Slow', symbol: 'SLOW', metadata: {} },
    }),
  ]);
  hold = () => Promise.resolve();
  const refusal = { status: 503, body: { error: { details: { code: 'acceptance_timeout' } } } };
  expect(outcomes).toMatchObject([refusal, refusal, refusal]);
  expect(await countStored()).toBe(0);
  expect(await list(headers)).toEqual([]);
  expect(await submit({ ...headers, 'Idempotency-Key': 'slow' })).toMatchObject({ status: 200 });
});

it('submitUserOperation of v1: is refused, and stores nothing, when the node takes longer than a request may take', async () => {
  const headers = await fundedAccount('21004');
  const before = await countStored();
  hold = () => sleep(SLOW_CALL_MS);
  const slow = await kit.call(`/accountkit/v1/chatbot/evm/submitUserOperation?chainId=${kit.chain.chainId}`, {
    method: 'POST',
    headers: { 'X-BOT-TOKEN': headers['X-ACCESS-TOKEN'] ?? '' },
    body: { target: TARGET, value: '1' },
  });
  hold = () => Promise.resolve();
  expect(slow).toMatchObject({ status: 503, body: { error: { details: { code: 'acceptance_timeout' } } } });
  expect(await countStored()).toBe(before);
  expect(await list(headers)).toEqual([]);
});

it('cancelUserOperation: is refused, and stores nothing, when the node takes longer than a request may take', async () => {
  const headers = await fundedAccount('21005');
  const release = await holdSignedOperations(pool);
  expect(await submit(headers)).toMatchObject({ status: 200 });
  const [waiting] = (await list(headers)) as { userOpHash: string }[];
  const before = await countStored();
  const cancel = () =>
    kit.call(`/accountkit/v2/platform/operations/${waiting?.userOpHash}/cancellations?platform=chat`, {
      method: 'POST',
      headers,
    });
  // The head, and then the code of the account: together they take longer, and each is within the time limit of one request to a node.
  heldMethods = ['eth_getBlockByNumber', 'eth_getCode'];
  hold = () => sleep(SLOW_CALL_MS - 500);
  const slow = await cancel();
  heldMethods = CALLS;
  hold = () => Promise.resolve();
  expect(slow).toMatchObject({ status: 503, body: { error: { details: { code: 'acceptance_timeout' } } } });
  expect(await countStored()).toBe(before);
  expect(await cancel()).toMatchObject({ status: 200 });
  expect(await countStored()).toBe((before ?? 0) + 1);
  await release();
});

it('submitUserOperation: accepts nothing for a caller that has closed its connection', async () => {
  const [gone, headers] = [await fundedAccount('21002'), await fundedAccount('21003')];
  const before = await countStored();
  const asked = node.methods.length;
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  hold = () => held;
  const leaving = new AbortController();
  const request = fetch(kit.suite.gatewayUrl + submitPath(), {
    method: 'POST',
    headers: { ...gone, 'X-API-Key': kit.client.apiKey, 'Content-Type': 'application/json' },
    body: JSON.stringify({ userOps: [{ target: TARGET, value: '1' }] }),
    signal: leaving.signal,
  });
  await until('the node is asked', () => node.methods.slice(asked).includes('eth_call'));
  leaving.abort();
  await expect(request).rejects.toThrow();
  const { logLines } = kit.suite.app('account-kit');
  await until('account-kit has seen that the caller is gone', () =>
    logLines.some((line) => line.includes('"status":499')),
  );
  release();
  expect(await submit(headers)).toMatchObject({ status: 200 });
  expect(await list(gone)).toEqual([]);
  expect(await countStored()).toBe((before ?? 0) + 1);
});

it('MAX_ACCEPTANCE_MS: ends before the gateway stops waiting, and the guide names the time after which the list is complete', async () => {
  expect(MAX_ACCEPTANCE_MS).toBeLessThan(gatewayConfigSchema.shape.UPSTREAM_TIMEOUT_MS.parse(undefined));
  expect(MAX_ACCEPTANCE_MS + MAX_SIGNING_MS).toBeLessThan(UNANSWERED_SECONDS * 1_000);
  const guide = await readFile(new URL('../../docs/guides/account-kit.md', import.meta.url), 'utf8');
  expect(guide).toContain(`Wait ${UNANSWERED_SECONDS} seconds`);
});
