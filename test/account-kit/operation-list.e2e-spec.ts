import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import type { Address } from 'viem';
import { databasePool } from '../support/database-pool.js';
import { until } from '../support/until.js';
import { holdSignedOperations } from './hold-signed-operations.js';
import { type AccountKitSuite, leaseAccountKitSuite } from './account-kit-suite.js';

const TARGET: Address = '0x0000000000000000000000000000000000015700';
const FUNDS = 10n ** 18n;

interface Page {
  items: { userOpHash: string; chainId: number; kind: string; state: string; acceptedAt: string }[];
  paginationToken?: string;
}

let kit: AccountKitSuite;
let pool: pg.Pool;

beforeAll(async () => {
  kit = await leaseAccountKitSuite();
  pool = databasePool(kit.suite.databaseUrl);
});

afterAll(async () => {
  await pool.end();
});

const headersOf = (userId: string) => ({ 'X-ACCESS-TOKEN': kit.platforms.botToken(userId) });
const path = (rest: string) => `/accountkit/v2/platform/${rest}`;

async function fundedAccount(userId: string): Promise<void> {
  const { body } = await kit.call<{ evm: { address: Address }[] }>(path('accounts?platform=chat'), {
    headers: headersOf(userId),
  });
  for (const { address } of body.evm) await kit.chain.setNativeBalance(address, FUNDS);
}

async function submit(userId: string): Promise<string> {
  const { status, body } = await kit.call<{ userOperationHash: string }>(
    path(`evm/submitUserOperation?platform=chat&chainId=${kit.chain.chainId}`),
    { method: 'POST', headers: headersOf(userId), body: { userOps: [{ target: TARGET, value: '1' }] } },
  );
  expect({ status, body }).toMatchObject({ status: 200 });
  return body.userOperationHash;
}

const list = (userId: string, query = '') =>
  kit.call<Page>(path(`operations?platform=chat${query}`), { headers: headersOf(userId) });
const cancel = (userId: string, hash: string) =>
  kit.call<{ userOperationHash: string }>(path(`operations/${hash}/cancellations?platform=chat`), {
    method: 'POST',
    headers: headersOf(userId),
  });
const refusal = (status: number, code: string) => ({ status, body: { error: { details: { code } } } });

async function untilState(hash: string, state: string): Promise<void> {
  await until(`the operation is ${state}`, async () => {
    const { rows } = await pool.query<{ state: string }>(
      'SELECT state FROM account_kit.user_operations WHERE hash = $1',
      [hash],
    );
    return rows[0]?.state === state;
  });
}

describe('the user operations of an account', () => {
  it('user operations of an account: are listed newest first, in pages, and only those of the account', async () => {
    await fundedAccount('7001');
    await fundedAccount('7002');
    const hashes: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      const hash = await submit('7001');
      await untilState(hash, 'included');
      hashes.unshift(hash);
    }
    await submit('7002');
    const found: string[] = [];
    let token: string | undefined;
    do {
      const { status, body } = await list('7001', `&limit=2${token ? `&paginationToken=${token}` : ''}`);
      expect(status).toBe(200);
      found.push(...body.items.map(({ userOpHash }) => userOpHash));
      token = body.paginationToken;
    } while (token);
    expect(found).toEqual(hashes);
    const { body } = await list('7001', '&limit=1');
    expect(body.items).toMatchObject([
      { chainId: kit.chain.chainId, kind: 'call', state: 'included', nonceKey: '0', success: true },
    ]);
  });

  it('user operations of an account: are none for a new account', async () => {
    expect(await list('7003')).toMatchObject({ status: 200, body: { items: [] } });
  });

  it.each(['&paginationToken=bm90IGEgcGFnZQ', '&limit=101', '&limit=0'])(
    'user operations of an account: refuse %s',
    async (query) => {
      expect(await list('7001', query)).toMatchObject(refusal(400, 'input_invalid'));
    },
  );

  it('user operations of an account: are cancelled by one that takes the nonce, while they wait', async () => {
    await fundedAccount('7004');
    await untilState(await submit('7004'), 'included');
    const release = await holdSignedOperations(pool);
    const held = await submit('7004');
    const reason = 'fee too low: a block costs more';
    await pool.query('UPDATE account_kit.user_operations SET hold_reason = $2 WHERE hash = $1', [
      held,
      reason,
    ]);
    const { body: waiting } = await list('7004', '&limit=1');
    expect(waiting.items).toMatchObject([{ userOpHash: held, state: 'signed', reason }]);
    expect(await cancel('7005', held)).toMatchObject(refusal(404, 'user_operation_not_found'));
    const { status, body } = await cancel('7004', held);
    expect({ status, body }).toMatchObject({ status: 200, body: { chainId: kit.chain.chainId } });
    expect(await cancel('7004', held)).toMatchObject({ status: 200, body });
    await release();
    await untilState(body.userOperationHash, 'included');
    const next = await submit('7004');
    await untilState(next, 'included');
    const { body: page } = await list('7004', '&limit=3');
    expect(page.items.map(({ kind, userOpHash }) => [kind, userOpHash])).toEqual([
      ['call', next],
      ['cancellation', body.userOperationHash],
      ['call', held],
    ]);
    expect(await cancel('7004', next)).toMatchObject(refusal(409, 'operation_conflict'));
  });
});
