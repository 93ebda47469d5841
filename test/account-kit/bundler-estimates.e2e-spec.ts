import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type pg from 'pg';
import type { Address } from 'viem';
import { padHex, numberToHex } from 'viem/utils';
import { databasePool } from '../support/database-pool.js';
import { reply } from '../support/hostile-node.js';
import { until } from '../support/until.js';
import { type AccountKitSuite, startAccountKitSuite } from './account-kit-suite.js';
import { BundlerStandIn } from './bundler-stand-in.js';
import { answerAll, foreignAnswer } from './foreign-answer.js';

const RECIPIENT: Address = '0x00000000000000000000000000000000000a11ce';
const ORACLE: Address = '0x420000000000000000000000000000000000000F';
const FUNDS = 10n ** 18n;
/** A bundler that asks for next to nothing leaves our own numbers. */
const LEAST = { preVerificationGas: 1n, verificationGasLimit: 1n, callGasLimit: 1n };

/** Call data of accounts differs by the zero bytes of their owners' addresses: less gas than this. */
const SPREAD = 1_000n;

let kit: AccountKitSuite;
let bundler: BundlerStandIn;
let pool: pg.Pool;
let lastUserId = 7_100;

beforeAll(async () => {
  kit = await startAccountKitSuite(async (_, chain) => {
    bundler = await BundlerStandIn.start(chain);
    return { RPC_TIMEOUT_MS: '3000', [`BUNDLER_URL_${chain.chainId}`]: bundler.url };
  });
  pool = databasePool(kit.suite.databaseUrl);
  // The first payment to an account costs 25,000 gas more than later ones.
  await kit.chain.setNativeBalance(RECIPIENT, 1n);
});

afterEach(async () => {
  bundler.changeEstimate = (estimate) => estimate;
  bundler.intercept = undefined;
  bundler.isBundling = true;
  await pool.query('DELETE FROM account_kit.policies');
  await kit.chain.client.setCode({ address: ORACLE, bytecode: '0x' });
});

afterAll(async () => {
  await pool.end();
  await kit.stop();
  await bundler.stop();
});

const bot = (userId: string) => ({ 'X-BOT-TOKEN': kit.platforms.botToken(userId) });

async function fundedUser(funds = FUNDS): Promise<string> {
  lastUserId += 1;
  const userId = String(lastUserId);
  const { body } = await kit.call<{ evm: { address: Address }[] }>('/accountkit/v1/chatbot/accounts', {
    headers: bot(userId),
  });
  await kit.chain.setNativeBalance(body.evm[0]?.address ?? RECIPIENT, funds);
  return userId;
}

const submit = (userId: string, more: object = {}) =>
  kit.call(`/accountkit/v1/chatbot/evm/submitUserOperation?chainId=${kit.chain.chainId}`, {
    method: 'POST',
    headers: bot(userId),
    body: { target: RECIPIENT, value: '1', ...more },
  });

async function operationsOf(userId: string) {
  const { rows } = await pool.query<
    Record<keyof typeof LEAST | 'cost' | 'price', string> & { state: string }
  >(
    `SELECT state, pre_verification_gas AS "preVerificationGas", verification_gas_limit AS "verificationGasLimit",
       call_gas_limit AS "callGasLimit", max_fee_per_gas AS price,
       (pre_verification_gas + verification_gas_limit + call_gas_limit) * max_fee_per_gas AS cost
     FROM account_kit.user_operations AS o JOIN account_kit.smart_accounts AS a ON a.id = account_id
     WHERE platform_user_id = $1 ORDER BY accepted_at`,
    [userId],
  );
  return rows;
}

async function accepted(userId: string) {
  const { status, body } = await submit(userId);
  expect({ status, body }).toMatchObject({ status: 200 });
  const operation = (await operationsOf(userId)).at(-1);
  if (!operation) throw new Error('no operation was stored');
  return operation;
}

const untilIncluded = (userId: string) =>
  until('all are included', async () =>
    (await operationsOf(userId)).every(({ state }) => state === 'included' || state === 'final'),
  );

const refusal = (status: number, code: string) => ({ status, body: { error: { details: { code } } } });

/** What the first operation of an account gets if the bundler asks for nothing. */
async function ownNumbers() {
  bundler.changeEstimate = (estimate) => ({ ...estimate, ...LEAST });
  const userId = await fundedUser();
  const operation = await accepted(userId);
  await untilIncluded(userId);
  return {
    preVerificationGas: BigInt(operation.preVerificationGas),
    verificationGasLimit: BigInt(operation.verificationGasLimit),
    callGasLimit: BigInt(operation.callGasLimit),
    cost: BigInt(operation.cost),
  };
}

it('submitUserOperation: takes the gas limits that a bundler asks for, and own ones where these are higher', async () => {
  const own = await ownNumbers();
  expect(own).toMatchObject({ verificationGasLimit: 400_000n });
  const asked = {
    preVerificationGas: own.preVerificationGas * 2n - SPREAD,
    verificationGasLimit: 1_000_000n,
    callGasLimit: own.callGasLimit + 70_000n,
  };
  bundler.changeEstimate = (estimate) => ({ ...estimate, ...asked });
  const userId = await fundedUser();
  expect(await accepted(userId)).toMatchObject({
    preVerificationGas: String(asked.preVerificationGas),
    verificationGasLimit: String(asked.verificationGasLimit),
    callGasLimit: String(asked.callGasLimit),
  });
  await untilIncluded(userId);
});

it('a dry run: answers the gas limits that a bundler asks for, and stores nothing', async () => {
  const asked = { verificationGasLimit: 1_000_000n };
  bundler.changeEstimate = (estimate) => ({ ...estimate, ...LEAST, ...asked });
  const userId = await fundedUser();
  const before = bundler.received.length;
  const plan = await submit(userId, { dryRun: true });
  expect(plan).toMatchObject({ status: 200, body: { dryRun: true, verificationGasLimit: '1000000' } });
  expect(bundler.received).toHaveLength(before);
  expect(await operationsOf(userId)).toEqual([]);
  const { state: _, cost: __, price: ___, ...limits } = await accepted(userId);
  expect(plan.body).toMatchObject(limits);
  await untilIncluded(userId);
});

it.each<[keyof typeof LEAST, (own: typeof LEAST) => bigint]>([
  ['preVerificationGas', (own) => (own.preVerificationGas + SPREAD) * 2n],
  ['verificationGasLimit', () => 1_000_001n],
  ['callGasLimit', () => 500_000n],
])(
  'submitUserOperation: is 503 bundler_estimate_refused if a bundler asks for too much %s, and signs nothing',
  async (limit, toAsked) => {
    const asked = { [limit]: toAsked(await ownNumbers()) };
    bundler.changeEstimate = (estimate) => ({ ...estimate, ...asked });
    const userId = await fundedUser();
    const refused = await submit(userId);
    expect(refused).toMatchObject(refusal(503, 'bundler_estimate_refused'));
    expect(refused).toMatchObject({
      body: { error: { details: { limit, required: String(asked[limit]), allowed: expect.any(String) } } },
    });
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9]/);
    expect(await operationsOf(userId)).toEqual([]);
    bundler.changeEstimate = (estimate) => estimate;
    await accepted(userId);
    await untilIncluded(userId);
  },
);

it('submitUserOperation: judges maxGasCost and funds by what the bundler asks for', async () => {
  const own = await ownNumbers();
  // The base fee falls from block to block, so the own cost stays below the limit.
  const maxGasCost = (own.cost * 13n) / 10n;
  const asked = { verificationGasLimit: 1_000_000n };
  const calls = [{ chainId: kit.chain.chainId, target: 'any' }];
  await pool.query('INSERT INTO account_kit.policies (client_id, document) VALUES ($1, $2)', [
    kit.client.clientId,
    JSON.stringify({ calls, maxGasCost: String(maxGasCost) }),
  ]);
  const userId = await fundedUser();
  bundler.changeEstimate = (estimate) => ({ ...estimate, ...LEAST, ...asked });
  expect(await submit(userId)).toMatchObject(refusal(403, 'policy_forbidden'));
  await pool.query('DELETE FROM account_kit.policies');
  const poor = await fundedUser(maxGasCost);
  expect(await submit(poor)).toMatchObject(refusal(409, 'account_funds_required'));
  bundler.changeEstimate = (estimate) => ({ ...estimate, ...LEAST });
  await accepted(poor);
  await untilIncluded(poor);
  expect(await operationsOf(userId)).toEqual([]);
});

it('submitUserOperation: is 503 bundler_unavailable while the bundler gives no estimate, and uses own numbers with one that has no such method', async () => {
  const own = await ownNumbers();
  const userId = await fundedUser();
  bundler.intercept = ({ method, id }, response) => {
    if (method !== 'eth_estimateUserOperationGas') return false;
    reply(response, id, { error: { code: -32_500, message: 'AA23 reverted' } });
    return true;
  };
  expect(await submit(userId)).toMatchObject(refusal(503, 'bundler_unavailable'));
  bundler.intercept = (_, response) => {
    response.writeHead(502).end();
    return true;
  };
  const away = await submit(userId);
  expect(away).toMatchObject(refusal(503, 'bundler_unavailable'));
  expect(away.headers.get('retry-after')).toMatch(/^[1-9]/);
  expect(await operationsOf(userId)).toEqual([]);
  bundler.intercept = ({ method, id }, response) => {
    if (method !== 'eth_estimateUserOperationGas') return false;
    reply(response, id, { error: { code: -32_601, message: 'Method not found' } });
    return true;
  };
  const operation = await accepted(userId);
  expect(operation).toMatchObject({
    verificationGasLimit: String((own.verificationGasLimit * 5n) / 4n),
    callGasLimit: String(own.callGasLimit),
  });
  const difference = BigInt(operation.preVerificationGas) - (own.preVerificationGas * 5n) / 4n;
  expect(difference).toBeGreaterThan(-SPREAD);
  expect(difference).toBeLessThan(SPREAD);
  await untilIncluded(userId);
});

it('submitUserOperation: asks no bundler about an operation behind another of its lane', async () => {
  const userId = await fundedUser();
  await accepted(userId);
  await untilIncluded(userId);
  bundler.changeEstimate = (estimate) => ({ ...estimate, ...LEAST });
  bundler.isBundling = false;
  const first = await accepted(userId);
  let asked = 0;
  bundler.intercept = ({ method }) => {
    if (method === 'eth_estimateUserOperationGas') asked += 1;
    return false;
  };
  expect(await accepted(userId)).toMatchObject({
    preVerificationGas: String((BigInt(first.preVerificationGas) * 5n) / 4n),
    verificationGasLimit: '125000',
  });
  expect(asked).toBe(0);
  bundler.isBundling = true;
  await untilIncluded(userId);
});

it('submitUserOperation: pays for bytes on the chain below an OP-stack rollup, whose oracle raises the ceiling, too', async () => {
  const own = await ownNumbers();
  const fee = 10n ** 15n;
  const word = padHex(numberToHex(fee), { size: 32 }).slice(2);
  // Returns the fee whatever it is asked.
  await kit.chain.client.setCode({ address: ORACLE, bytecode: `0x7f${word}5f5260205ff3` });
  bundler.changeEstimate = (estimate) => ({
    ...estimate,
    ...LEAST,
    preVerificationGas: 3n * own.preVerificationGas,
  });
  const userId = await fundedUser(100n * FUNDS);
  // The bundler's number counts above twice our own number; that of the oracle alone does not.
  expect(await accepted(userId)).toMatchObject({ preVerificationGas: String(3n * own.preVerificationGas) });
  await untilIncluded(userId);
});

it('submitUserOperation: is no 500, whatever a bundler answers to an estimate, and stores nothing', async () => {
  const userId = await fundedUser();
  const estimate = foreignAnswer(
    'preVerificationGas',
    'verificationGasLimit',
    'callGasLimit',
    'paymasterVerificationGasLimit',
  );
  await fc.assert(
    fc.asyncProperty(estimate, async (text) => {
      bundler.intercept = (request, response) => {
        if (request.method !== 'eth_estimateUserOperationGas') return false;
        response.end(answerAll(text, request));
        return true;
      };
      const { status, body } = await submit(userId, { dryRun: true });
      expect({ isDocumented: [200, 409, 503].includes(status), status, body, text }).toMatchObject({
        isDocumented: true,
      });
    }),
    { numRuns: 100 },
  );
  expect(await operationsOf(userId)).toEqual([]);
  bundler.intercept = undefined;
  expect(await submit(userId)).toMatchObject({ status: 200 });
});
