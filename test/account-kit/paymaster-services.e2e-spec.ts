import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import fc from 'fast-check';
import type pg from 'pg';
import type { Address } from 'viem';
import { databasePool } from '../support/database-pool.js';
import { until } from '../support/until.js';
import { type AccountKitSuite, startAccountKitSuite } from './account-kit-suite.js';
import { answerAll, foreignAnswer } from './foreign-answer.js';
import { ExecutingBundler, type PaymasterAnswer, PaymasterService } from './paymaster-service.js';

const CHAIN_ID = 31_337;
const TARGET: Address = '0x00000000000000000000000000000000000a11ce';
const HOUR_SECONDS = 60 * 60;
/** Each failure has an account of its own. */
let lastUserId = 6_100;

const service = new PaymasterService(CHAIN_ID);
const bundler = new ExecutingBundler();

let kit: AccountKitSuite;
let pool: pg.Pool;

beforeAll(async () => {
  const [serviceUrl, bundlerUrl] = await Promise.all([service.start(), bundler.start()]);
  kit = await startAccountKitSuite(({ paymaster08, paymaster07 }) => {
    service.paymaster = paymaster08;
    return {
      RPC_TIMEOUT_MS: '3000',
      [`BUNDLER_URL_${CHAIN_ID}`]: bundlerUrl,
      [`PAYMASTER_URL_${CHAIN_ID}`]: serviceUrl,
      [`PAYMASTER_CONTEXT_${CHAIN_ID}`]: '{"policyId":"demo"}',
      [`PAYMASTER_${CHAIN_ID}`]: `${paymaster08},0.7:${paymaster07}`,
    };
  });
  bundler.chain = kit.chain;
  pool = databasePool(kit.suite.databaseUrl);
});

afterEach(async () => {
  service.reset();
  await pool.query('DELETE FROM account_kit.policies');
});

afterAll(async () => {
  await pool.end();
  await kit.stop();
  await Promise.all([service.stop(), bundler.stop()]);
});

const headersOf = (userId: string) => ({ 'X-BOT-TOKEN': kit.platforms.botToken(userId) });
const submit = (userId: string, headers: Record<string, string> = {}) =>
  kit.call<{ userOperationHash: string }>(
    `/accountkit/v1/chatbot/evm/submitUserOperation?chainId=${CHAIN_ID}`,
    { method: 'POST', headers: { ...headersOf(userId), ...headers }, body: { target: TARGET } },
  );

async function rowsOf(userId: string) {
  const { rows } = await pool.query<{
    id: string;
    sender: string;
    state: string;
    hash: string | null;
    validUntil: Date | null;
  }>(
    `SELECT o.id, sender, state, hash, valid_until AS "validUntil" FROM account_kit.user_operations AS o
     JOIN account_kit.smart_accounts AS a ON a.id = account_id WHERE platform_user_id = $1 ORDER BY accepted_at`,
    [userId],
  );
  return rows;
}

const methods = () => service.requests.map(({ method }) => method);

describe('a chain with a paymaster service', () => {
  it('chain with a paymaster service: sponsors the operations of an empty account, with data that is asked for once', async () => {
    const key = { 'Idempotency-Key': 'one' };
    const { status, body } = await submit('6001', key);
    expect({ status, body }).toMatchObject({ status: 200 });
    const receipt = await kit.call(
      `/accountkit/v1/chatbot/evm/userOperationReceipt?chainId=${CHAIN_ID}&userOperationHash=${body.userOperationHash}`,
      { headers: headersOf('6001') },
    );
    expect(receipt.body).toMatchObject({ success: true, paymaster: service.paymaster });
    expect((await submit('6001', key)).body).toEqual(body);
    expect(methods()).toEqual(['pm_getPaymasterStubData', 'pm_getPaymasterData']);
    const [stub, final] = service.requests.map(({ params }) => params);
    expect(stub?.slice(1)).toEqual([kit.contracts.entryPoint08, '0x7a69', { policyId: 'demo' }]);
    expect(final?.[0]).toMatchObject({ nonce: '0x0', preVerificationGas: expect.any(String) });
    expect(await rowsOf('6001')).toMatchObject([{ validUntil: null }]);
  });

  it('chain with a paymaster service: is not asked again for data that is stored, also after a crash', async () => {
    service.changeData = (answer) => ({
      ...answer,
      validUntil: Math.floor(Date.now() / 1_000) + HOUR_SECONDS,
    });
    await submit('6002');
    const [signed] = await rowsOf('6002');
    // No chain enforces the claim, so that nothing decides by it that the operation has expired.
    expect(signed).toMatchObject({ state: expect.any(String), validUntil: null });
    await until('it is included', async () => (await rowsOf('6002'))[0]?.state === 'included');
    service.reset();
    const columns = `account_id, client_id, kind, chain_id, account_version, sender, nonce_key, deploys_account, call_data,
      call_gas_limit, verification_gas_limit, pre_verification_gas, max_fee_per_gas, max_priority_fee_per_gas, paymaster,
      paymaster_verification_gas_limit, paymaster_post_op_gas_limit, paymaster_data, valid_until`;
    // An idempotency key: its caller can repeat the request.
    await pool.query(
      `WITH accepted AS (
         INSERT INTO account_kit.user_operations (id, state, state_seq, nonce_sequence, accepted_at, changed_at, ${columns})
         SELECT gen_random_uuid(), 'accepted', 1, 1, now() - interval '1 minute', now(), ${columns}
         FROM account_kit.user_operations WHERE id = $1 RETURNING id, client_id, account_id
       )
       INSERT INTO account_kit.idempotency_keys (client_id, account_id, key_hash, request_hash, operation_id)
       SELECT client_id, account_id, '\\x01', '\\x02', id FROM accepted`,
      [signed?.id],
    );
    await until('it is signed', async () => (await rowsOf('6002')).every(({ hash }) => hash !== null));
    expect(methods()).toEqual([]);
  });

  const end = (status: number, text: string) => (_: PaymasterAnswer, response: ServerResponse) => {
    response.writeHead(status).end(text);
  };
  it.each<[string, 'changeStub' | 'changeData', PaymasterService['changeData']]>([
    ['refuses the stub', 'changeStub', end(200, '{"id":1,"error":{"code":-32000,"message":"no"}}')],
    ['refuses the data', 'changeData', end(200, '{"id":1,"error":{"code":-32000,"message":"no"}}')],
    ['is away', 'changeStub', (_, response) => void response.destroy()],
    ['does not answer in time', 'changeData', () => undefined],
    ['answers with HTML', 'changeData', end(502, '<html>')],
    ['names another paymaster for the stub', 'changeStub', (answer) => ({ ...answer, paymaster: TARGET })],
    ['names another paymaster', 'changeData', (answer) => ({ ...answer, paymaster: TARGET })],
    ['names none', 'changeData', ({ paymasterData }) => ({ paymasterData })],
    ['answers half a byte', 'changeData', (answer) => ({ ...answer, paymasterData: '0x123' })],
    [
      'writes a quantity with a leading zero',
      'changeData',
      (answer) => ({ ...answer, paymasterPostOpGasLimit: '0x00' }),
    ],
    [
      'wants more gas than its stub',
      'changeData',
      (answer) => ({ ...answer, paymasterPostOpGasLimit: '0x1' }),
    ],
    [
      'answers data whose bytes the operation does not pay for',
      'changeData',
      (answer) => ({ ...answer, paymasterData: `${answer.paymasterData}${'ff'.repeat(2_000)}` }),
    ],
    [
      'names a time that PostgreSQL does not hold, and gas beyond its stub',
      'changeData',
      (answer) => ({ ...answer, validUntil: Number.MAX_SAFE_INTEGER, paymasterPostOpGasLimit: '0x1' }),
    ],
    [
      'signs for less than half an hour',
      'changeData',
      (answer) => ({ ...answer, validUntil: Math.floor(Date.now() / 1_000) + HOUR_SECONDS / 2 - 60 }),
    ],
  ])('T165: chain with a paymaster service: signs nothing when the service %s', async (_, which, change) => {
    const userId = String((lastUserId += 1));
    service[which] = change;
    expect(await submit(userId)).toMatchObject({
      status: 503,
      body: { error: { details: { code: 'sponsor_unavailable' } } },
    });
    const rows = await rowsOf(userId);
    expect(rows).toMatchObject(which === 'changeStub' ? [] : [{ state: 'rejected', hash: null }]);
    expect(rows).toHaveLength(which === 'changeStub' ? 0 : 1);
    service.reset();
    expect((await submit(userId)).status).toBe(200);
    const sent = () => bundler.received.filter(({ sender }) => senders.has(sender ?? '0x'));
    const senders = new Set((await rowsOf(userId)).map(({ sender }) => sender));
    await until('the next one is sent', () => sent().length > 0);
    expect(new Set(sent().map(({ paymasterData }) => paymasterData)).size).toBe(1);
  });

  it('submitUserOperation: is no 500, whatever a paymaster service answers, and leaves nothing half done', async () => {
    const fields = [
      'paymaster',
      'paymasterData',
      'paymasterVerificationGasLimit',
      'paymasterPostOpGasLimit',
      'validUntil',
    ];
    // A service that names the right paymaster gets further.
    const answer = fc
      .tuple(foreignAnswer(...fields), fc.boolean())
      .map(([text, isNamed]) =>
        isNamed ? text.replace('"result":{', `"result":{"paymaster":"${service.paymaster}",`) : text,
      );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('changeStub' as const, 'changeData' as const),
        answer,
        async (which, text) => {
          const userId = String((lastUserId += 1));
          service.reset();
          service[which] = (_, response, id) => void response.end(answerAll(text, { id }));
          const { status, body } = await submit(userId);
          expect({ isDocumented: [200, 409, 503].includes(status), status, body, text }).toMatchObject({
            isDocumented: true,
          });
          for (const { state, hash } of await rowsOf(userId))
            expect({ isWhole: (hash === null) === (state === 'rejected'), state, text }).toMatchObject({
              isWhole: true,
            });
        },
      ),
      { numRuns: 60 },
    );
  });

  it('chain with a paymaster service: does not ask the service without a policy that sponsors the chain', async () => {
    await pool.query('INSERT INTO account_kit.policies (client_id, document) VALUES ($1, $2)', [
      kit.client.clientId,
      { calls: [{ chainId: CHAIN_ID, target: 'any' }] },
    ]);
    expect(await submit('6003')).toMatchObject({
      status: 409,
      body: { error: { details: { code: 'account_funds_required' } } },
    });
    expect(methods()).toEqual([]);
  });
});
