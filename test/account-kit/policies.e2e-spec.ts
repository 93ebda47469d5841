import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bundleOf } from '../../scripts/build/bundle.mjs';
import { root } from '../../scripts/build/project.mjs';
import type pg from 'pg';
import { databasePool } from '../support/database-pool.js';
import { until } from '../support/until.js';
import { type AccountKitSuite, startAccountKitSuite } from './account-kit-suite.js';

const run = promisify(execFile);
const USER = '4001';
const PAYEE = '0x00000000000000000000000000000000000a11ce';
const OTHER = '0x0000000000000000000000000000000000000b0b';

let kit: AccountKitSuite;
let folder: string;
let pool: pg.Pool;

beforeAll(async () => {
  // A hundred operations at once wait for each other at the node.
  kit = await startAccountKitSuite({ DEFAULT_POLICY: 'deny', RPC_TIMEOUT_MS: '10000' });
  pool = databasePool(kit.suite.databaseUrl);
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-policies-'));
  const { body } = await kit.call<{ evm: { address: `0x${string}` }[] }>('/accountkit/v1/chatbot/accounts', {
    headers: bot(),
  });
  for (const { address } of body.evm) await kit.chain.setNativeBalance(address, 10n ** 18n);
});

afterAll(async () => {
  await pool.end();
  await rm(folder, { recursive: true, force: true });
  await kit.stop();
});

const bot = () => ({ 'X-BOT-TOKEN': kit.platforms.botToken(USER) });

const command = (...args: string[]) =>
  run(process.execPath, [bundleOf(root, 'account-kit', 'policies.command.js'), ...args], {
    env: { DATABASE_URL: kit.suite.databaseUrl, PATH: process.env.PATH },
  });

async function setPolicy(document: unknown, clientId = kit.client.clientId): Promise<void> {
  const file = join(folder, 'policy.json');
  await writeFile(file, JSON.stringify(document));
  await command('set', '--client', clientId, '--file', file);
}

const post = (path: string, body: unknown) =>
  kit.call(`/accountkit/v1/chatbot/${path}`, { method: 'POST', headers: bot(), body });
const pay = (target: string, value: string) =>
  post(`evm/submitUserOperation?chainId=${kit.chain.chainId}`, { target, callData: '0x', value });
const mint = () =>
  post(`evm/mint?chainId=${kit.chain.chainId}`, { name: 'Coin', symbol: 'COIN', metadata: {} });

const FORBIDDEN = { status: 403, body: { error: { details: { code: 'policy_forbidden' } } } };

describe('the policy of a client application', () => {
  it('policy of a client application: is needed where the default denies', async () => {
    await command('remove', '--client', kit.client.clientId);
    await setPolicy({ calls: [{ chainId: kit.chain.chainId, target: 'any' }], maxValue: '9' }, 'another');
    expect(await pay(PAYEE, '1')).toMatchObject(FORBIDDEN);
    expect(await mint()).toMatchObject(FORBIDDEN);
  });

  it('policy of a client application: allows what it lists, and nothing else is stored or signed', async () => {
    await setPolicy({
      calls: [{ chainId: kit.chain.chainId, target: PAYEE, selectors: ['0x'] }],
      maxValue: '5',
    });
    const before = await kit.chain.client.getBalance({ address: PAYEE });
    const { status, body } = await pay(PAYEE, '5');
    expect({ status, body }).toMatchObject({ status: 200 });
    const { userOperationHash } = body as { userOperationHash: string };
    const receipt = await kit.call(
      `/accountkit/v1/chatbot/evm/userOperationReceipt?chainId=${kit.chain.chainId}&userOperationHash=${userOperationHash}`,
      { headers: bot() },
    );
    expect(receipt).toMatchObject({ status: 200, body: { success: true, nonce: 0 } });
    expect(await pay(PAYEE, '6')).toMatchObject(FORBIDDEN);
    expect(await pay(OTHER, '1')).toMatchObject(FORBIDDEN);
    expect(await mint()).toMatchObject(FORBIDDEN);
    expect(await kit.chain.client.getBalance({ address: PAYEE })).toBe(before + 5n);
    // Refused operations have taken no nonce.
    expect(await pay(PAYEE, '1')).toMatchObject({ status: 200 });
  });

  it('submitUserOperation: answers 403 policy_forbidden when the policy is tightened between acceptance and signature, and frees the nonce', async () => {
    const policy = { calls: [{ chainId: kit.chain.chainId, target: PAYEE }], maxValue: '5' };
    await setPolicy(policy);
    const before = await kit.chain.client.getBalance({ address: PAYEE });
    // The policy changes in the statement that accepts the operation, after this process has judged it: only the signer
    // sees the change.
    await pool.query(`
      CREATE FUNCTION account_kit.tighten() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN UPDATE account_kit.policies SET document = document || ''{"maxValue":"0"}''; RETURN NULL; END';
      CREATE TRIGGER tighten AFTER INSERT ON account_kit.user_operations EXECUTE FUNCTION account_kit.tighten()`);
    try {
      expect(await pay(PAYEE, '5')).toMatchObject({
        status: 403,
        body: {
          error: {
            message: expect.stringContaining('send 5 wei'),
            details: { code: 'policy_forbidden' },
          },
        },
      });
    } finally {
      await pool.query('DROP FUNCTION account_kit.tighten CASCADE');
    }
    await setPolicy(policy);
    expect(await pay(PAYEE, '1')).toMatchObject({ status: 200 });
    await until(
      'the later operation is executed',
      async () => (await kit.chain.client.getBalance({ address: PAYEE })) === before + 1n,
    );
  });

  it('policy of a client application: is judged before Solana transactions are decoded', async () => {
    const transaction = { serializedTransactionBase64: 'AAAA' };
    expect(await post('solana/submitTransaction?network=SOL_DEVNET', transaction)).toMatchObject(FORBIDDEN);
  });

  it('policy of a client application: ends with the next request once it is removed', async () => {
    await setPolicy({ calls: [{ chainId: kit.chain.chainId, target: 'any' }], maxValue: '1' });
    expect(await pay(PAYEE, '1')).toMatchObject({ status: 200 });
    await command('remove', '--client', kit.client.clientId);
    expect(await pay(PAYEE, '1')).toMatchObject(FORBIDDEN);
  });
});

describe('the caps of a policy', () => {
  const botOf = (user: string) => ({ 'X-BOT-TOKEN': kit.platforms.botToken(user) });
  const cap = (of: string, max: bigint | number) => ({
    ...{ of, chainId: kit.chain.chainId, per: 'application', period: 'day', max: String(max) },
  });
  const anything = () => ({ calls: [{ chainId: kit.chain.chainId, target: 'any' }], maxValue: '1000' });
  const payFrom = (user: string, value = '1') =>
    kit.call<{ userOperationHash: string }>(
      `/accountkit/v1/chatbot/evm/submitUserOperation?chainId=${kit.chain.chainId}`,
      { method: 'POST', headers: botOf(user), body: { target: PAYEE, callData: '0x', value } },
    );
  const fund = async (user: string) => {
    const answer = await kit.call<{ evm: { address: `0x${string}` }[] }>('/accountkit/v1/chatbot/accounts', {
      headers: botOf(user),
    });
    expect(answer).toMatchObject({ status: 200 });
    for (const { address } of answer.body.evm) await kit.chain.setNativeBalance(address, 10n ** 18n);
  };
  const used = async (of: string) => {
    const { rows } = await pool.query<{ used: string }>(
      'SELECT used::text FROM account_kit.cap_usage WHERE cap_key LIKE $1',
      [`${of} %`],
    );
    return rows.map((row) => BigInt(row.used));
  };

  it('caps of a policy: let exactly as many of a hundred concurrent operations through as they have room for', async () => {
    const users = Array.from({ length: 100 }, (_, index) => String(50_000 + index));
    for (const user of users) await fund(user);
    await setPolicy({ ...anything(), caps: [cap('value', 10), cap('gas', 10n ** 18n)] });
    const answers = await Promise.all(users.map((user) => payFrom(user)));
    const refused = answers.filter(({ status }) => status === 403);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(refused).toHaveLength(90);
    const availableAt = new Date(new Date().setUTCHours(24, 0, 0, 0)).toISOString();
    for (const { body } of refused)
      expect(body).toMatchObject({
        error: {
          details: {
            code: 'policy_limit_exceeded',
            limit: `10 wei sent per application and day on chain ${kit.chain.chainId}`,
            availableAt,
          },
        },
      });
    const hashes = answers.flatMap(({ status, body }) => (status === 200 ? [body.userOperationHash] : []));
    const operations = async () =>
      (
        await pool.query<{ state: string; success: boolean; cost: string }>(
          `SELECT state, success, actual_gas_cost::text AS cost FROM account_kit.user_operations
           WHERE hash = ANY($1::text[])`,
          [hashes],
        )
      ).rows;
    await until('all are included', async () => (await operations()).every(({ success }) => success));
    const cost = (await operations()).reduce((sum, row) => sum + BigInt(row.cost), 0n);
    expect(cost).toBeGreaterThan(0n);
    // A node could invent what it says about an inclusion.
    expect((await used('gas'))[0]).toBeGreaterThan(cost);
    await kit.chain.client.mine({ blocks: 12 });
    await until('all are final', async () => (await operations()).every(({ state }) => state === 'final'));
    expect(await used('gas')).toEqual([cost]);
    expect(await used('value')).toEqual([10n]);
    expect(await payFrom(users[0] ?? '')).toMatchObject({ status: 403 });
  });

  it('caps of a policy: give back what an operation does not use, and are per account where the policy says so', async () => {
    await fund('60001');
    await fund('60002');
    const perAccount = { ...cap('value', 5), per: 'account', period: 'month' };
    await setPolicy({ ...anything(), caps: [perAccount] });
    expect(await payFrom('60001', '6')).toMatchObject(FORBIDDEN);
    expect(await payFrom('60001', '5')).toMatchObject({ status: 200 });
    await until('the account is deployed', async () => (await payFrom('60001', '1')).status === 403);
    expect(await payFrom('60002', '5')).toMatchObject({ status: 200 });
  });

  it('count for the signer, too: without a reservation nothing is signed', async () => {
    await fund('60003');
    await setPolicy({ ...anything(), caps: [cap('value', 100)] });
    await pool.query(
      `CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
       CREATE TRIGGER lose BEFORE INSERT ON account_kit.cap_reservations FOR EACH ROW EXECUTE FUNCTION lose()`,
    );
    try {
      expect(await payFrom('60003')).toMatchObject(FORBIDDEN);
    } finally {
      await pool.query('DROP TRIGGER lose ON account_kit.cap_reservations');
    }
    const { rows } = await pool.query(
      `SELECT state, hash FROM account_kit.user_operations WHERE reason LIKE '%has not reserved%'`,
    );
    expect(rows).toEqual([{ state: 'rejected', hash: null }]);
  });

  it('caps of a policy: may need an idempotency key', async () => {
    await setPolicy({ ...anything(), mintChains: [kit.chain.chainId], requiresIdempotencyKey: true });
    const required = { status: 400, body: { error: { details: { code: 'idempotency_key_required' } } } };
    expect(await payFrom('60003')).toMatchObject(required);
    expect(await mint()).toMatchObject(required);
    const withKey = () =>
      kit.call(`/accountkit/v1/chatbot/evm/submitUserOperation?chainId=${kit.chain.chainId}`, {
        method: 'POST',
        headers: { ...botOf('60003'), 'Idempotency-Key': 'once' },
        body: { target: PAYEE, callData: '0x', value: '1' },
      });
    const first = await withKey();
    expect(first).toMatchObject({ status: 200 });
    expect((await withKey()).body).toEqual(first.body);
  });

  it('an idempotency key: gets the first answer of v1, v2 and mint after the policy was removed', async () => {
    await fund('60005');
    await setPolicy({ ...anything(), mintChains: [kit.chain.chainId] });
    const { chainId } = kit.chain;
    const call = { target: PAYEE, callData: '0x', value: '1' };
    const requests = [
      [`/v1/chatbot/evm/submitUserOperation?chainId=${chainId}`, call],
      [`/v2/platform/evm/submitUserOperation?platform=chat&chainId=${chainId}`, { userOps: [call] }],
      [`/v1/chatbot/evm/mint?chainId=${chainId}`, { name: 'Coin', symbol: 'COIN', metadata: {} }],
    ] as const;
    const send = ([path, body]: (typeof requests)[number], key: string) =>
      kit.call<{ userOperationHash?: string; response?: { userOperationHash: string } }>(
        `/accountkit${path}`,
        {
          method: 'POST',
          headers: {
            ...botOf('60005'),
            'X-ACCESS-TOKEN': kit.platforms.botToken('60005'),
            'Idempotency-Key': key,
          },
          body,
        },
      );
    const first: unknown[] = [];
    for (const [index, request] of requests.entries()) {
      const answer = await send(request, `kept-${index}`);
      expect(answer).toMatchObject({ status: 200 });
      first.push(answer.body);
      await until('it is included', async () => {
        const { rows } = await pool.query<{ isIncluded: boolean }>(
          'SELECT success IS NOT NULL AS "isIncluded" FROM account_kit.user_operations WHERE hash = $1',
          [answer.body.userOperationHash ?? answer.body.response?.userOperationHash],
        );
        return rows[0]?.isIncluded === true;
      });
    }
    await command('remove', '--client', kit.client.clientId);
    for (const [index, request] of requests.entries()) {
      expect(await send(request, `kept-${index}`)).toMatchObject({ status: 200, body: first[index] });
      expect(await send(request, `new-${index}`)).toMatchObject(FORBIDDEN);
    }
  });

  it('an idempotency key: signs what was stored without a signature only if the policy of now allows it', async () => {
    await fund('60006');
    await setPolicy(anything());
    const withKey = () =>
      kit.call(`/accountkit/v1/chatbot/evm/submitUserOperation?chainId=${kit.chain.chainId}`, {
        method: 'POST',
        headers: { ...botOf('60006'), 'Idempotency-Key': 'unsigned' },
        body: { target: PAYEE, callData: '0x', value: '1' },
      });
    expect(await withKey()).toMatchObject({ status: 200 });
    const account = `account_id = (SELECT id FROM account_kit.smart_accounts WHERE platform_user_id = '60006')`;
    await until('it is included', async () => {
      const { rows } = await pool.query(
        `SELECT FROM account_kit.user_operations WHERE ${account} AND success`,
      );
      return rows.length === 1;
    });
    // The row is as a process leaves it that dies before it signs.
    await pool.query(
      `INSERT INTO account_kit.user_operations SELECT (r).* FROM (
         SELECT jsonb_populate_record(o, '{"id": "00000000-0000-4000-8000-000000060006", "hash": null, "signature": null,
           "nonce_sequence": 1, "success": null, "state": "accepted", "state_seq": 1}'::jsonb
           || jsonb_build_object('accepted_at', clock_timestamp() + interval '1 hour')) AS r
         FROM account_kit.user_operations AS o WHERE ${account}) AS copies`,
    );
    await pool.query(
      `UPDATE account_kit.idempotency_keys SET operation_id = '00000000-0000-4000-8000-000000060006' WHERE ${account}`,
    );
    await setPolicy({ ...anything(), maxValue: '0' });
    expect(await withKey()).toMatchObject(FORBIDDEN);
    const { rows } = await pool.query(
      `SELECT state, hash FROM account_kit.user_operations WHERE id = '00000000-0000-4000-8000-000000060006'`,
    );
    expect(rows).toEqual([{ state: 'rejected', hash: null }]);
  });

  it('caps of a policy: bound what the gas of one operation may cost', async () => {
    // An operation of the account that paid before may be under way, so another account pays.
    await fund('60004');
    await setPolicy({ ...anything(), maxGasCost: '1' });
    expect(await payFrom('60004')).toMatchObject(FORBIDDEN);
  });
});

describe('npm run gatehouse -- policies', () => {
  it('npm run policies: shows what was set, and keeps it when the next document is invalid', async () => {
    await setPolicy({ maxValue: '7' }, 'shown');
    await expect(setPolicy({ maxValue: 7 }, 'shown')).rejects.toMatchObject({
      code: 65,
      stderr: expect.stringContaining('maxValue'),
    });
    expect(JSON.parse((await command('show', '--client', 'shown')).stdout)).toEqual({ maxValue: '7' });
    expect((await command('show', '--client', 'unknown')).stdout).toBe('unknown has no policy.\n');
  });

  it('npm run policies: says what is missing', async () => {
    await expect(command('set')).rejects.toMatchObject({
      code: 64,
      stderr: '--client: is missing\n--file: is missing\n',
    });
    await expect(command('set', '--client', 'x')).rejects.toMatchObject({
      code: 64,
      stderr: '--file: is missing\n',
    });
  });
});
