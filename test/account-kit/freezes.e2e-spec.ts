import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import type { Address } from 'viem';
import { bundleOf } from '../../scripts/build/bundle.mjs';
import { root } from '../../scripts/build/project.mjs';
import { databasePool } from '../support/database-pool.js';
import { until } from '../support/until.js';
import { holdSignedOperations } from './hold-signed-operations.js';
import { type AccountKitSuite, leaseAccountKitSuite } from './account-kit-suite.js';

const run = promisify(execFile);
const TARGET: Address = '0x0000000000000000000000000000000000f3ee2e';
const FUNDS = 10n ** 18n;

let kit: AccountKitSuite;
let pool: pg.Pool;

beforeAll(async () => {
  kit = await leaseAccountKitSuite({ hasPaymasters: true });
  pool = databasePool(kit.suite.databaseUrl);
});

afterEach(() => pool.query('DELETE FROM account_kit.freezes'));

afterAll(async () => {
  await pool.end();
});

const command = (...args: string[]) =>
  run(process.execPath, [bundleOf(root, 'account-kit', 'freeze.command.js'), ...args], {
    env: { DATABASE_URL: kit.suite.databaseUrl, PATH: process.env.PATH },
  });
const freeze = (...what: string[]) => command('set', ...what, '--reason', 'a key was found in a log');

const headersOf = (userId: string) => ({ 'X-BOT-TOKEN': kit.platforms.botToken(userId) });
const post = (userId: string, path: string, body: unknown) =>
  kit.call<{ userOperationHash: string }>(`/accountkit/v1/chatbot/${path}`, {
    method: 'POST',
    headers: headersOf(userId),
    body,
  });
const submit = (userId: string) =>
  post(userId, `evm/submitUserOperation?chainId=${kit.chain.chainId}`, { target: TARGET, value: '1' });

async function fundedAccount(userId: string): Promise<Address> {
  const { body } = await kit.call<{ evm: { address: Address }[] }>('/accountkit/v1/chatbot/accounts', {
    headers: headersOf(userId),
  });
  const [account] = body.evm;
  if (!account) throw new Error('there is no account');
  await kit.chain.setNativeBalance(account.address, FUNDS);
  return account.address;
}

async function untilIncluded(hash: string): Promise<void> {
  await until('the operation is included', async () => {
    const { rows } = await pool.query<{ state: string }>(
      'SELECT state FROM account_kit.user_operations WHERE hash = $1',
      [hash],
    );
    return ['included', 'final'].includes(rows[0]?.state ?? '');
  });
}

const FROZEN = { status: 403, body: { error: { details: { code: 'frozen' } } } };

describe('a freeze', () => {
  it('freeze of an account: leaves other accounts alone, and ends when it is removed', async () => {
    const address = await fundedAccount('6001');
    await fundedAccount('6002');
    await freeze('--account', address);
    expect(await submit('6001')).toMatchObject(FROZEN);
    expect(await submit('6002')).toMatchObject({ status: 200 });
    const { stdout } = await command('show');
    expect(stdout).toContain(`account ${address}: a key was found in a log`);
    await command('remove', '--account', address);
    expect(await submit('6001')).toMatchObject({ status: 200 });
  });

  it.each([
    ['the client application', () => ['--application', kit.client.clientId]],
    ['the chain', () => ['--chain', String(kit.chain.chainId)]],
    ['the sponsor of the chain', () => ['--paymaster', String(kit.chain.chainId)]],
    ['everything', () => ['--everything']],
  ])('freeze of %s: refuses its operations and mints', async (_what, target) => {
    await fundedAccount('6003');
    await freeze(...target());
    expect(await submit('6003')).toMatchObject(FROZEN);
    const token = { name: 'Coin', symbol: 'COIN', metadata: {} };
    expect(await post('6003', `evm/mint?chainId=${kit.chain.chainId}`, token)).toMatchObject(FROZEN);
  });

  it('freeze of another chain or application: changes nothing', async () => {
    await fundedAccount('6004');
    await freeze('--chain', '1');
    await freeze('--application', 'another');
    expect(await submit('6004')).toMatchObject({ status: 200 });
  });

  it('freeze: refuses custom actions of an account before they run', async () => {
    const address = await fundedAccount('6005');
    await freeze('--account', address);
    const action = {
      actionIpfs: 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy',
      actionJsParams: {},
    };
    expect(
      await post('6005', `executeCustomActionUsingKeypair?chainId=${kit.chain.chainId}`, action),
    ).toMatchObject(FROZEN);
  });

  it('freeze: sends nothing that was signed before, until it is removed', async () => {
    const address = await fundedAccount('6006');
    const first = await submit('6006');
    await untilIncluded(first.body.userOperationHash);
    const before = await kit.chain.client.getBalance({ address: TARGET });
    // The next signed operation is not due, so that it is frozen before it is sent.
    const release = await holdSignedOperations(pool);
    const held = await submit('6006');
    expect(held).toMatchObject({ status: 200 });
    await freeze('--account', address);
    await release();
    await pool.query(`UPDATE account_kit.user_operations SET next_attempt_at = NULL WHERE state = 'signed'`);
    // Another account's operation is sent meanwhile, so the executors have looked.
    await fundedAccount('6007');
    const other = await submit('6007');
    await untilIncluded(other.body.userOperationHash);
    expect(await kit.chain.client.getBalance({ address: TARGET })).toBe(before + 1n);
    await command('remove', '--account', address);
    await untilIncluded(held.body.userOperationHash);
    expect(await kit.chain.client.getBalance({ address: TARGET })).toBe(before + 2n);
  });

  it('freeze: needs one target that exists, and a reason', async () => {
    const usage = (args: string[], message: string) =>
      expect(command(...args)).rejects.toMatchObject({ code: 64, stderr: expect.stringContaining(message) });
    await usage(['set', '--everything'], '--reason');
    await usage(['set', '--reason', 'x'], '--everything');
    await usage(['set', '--everything', '--chain', '1', '--reason', 'x'], '--everything');
    await usage(['set', '--chain', 'mainnet', '--reason', 'x'], '--chain');
    await usage(['set', '--account', TARGET, '--reason', 'x'], '--account');
  });
});
