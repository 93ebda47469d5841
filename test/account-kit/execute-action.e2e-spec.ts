import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { type Address, type Hex, recoverMessageAddress } from 'viem';
import { bundleOf } from '../../scripts/build/bundle.mjs';
import { root } from '../../scripts/build/project.mjs';
import type { Client } from '../support/create-client.js';
import { databasePool } from '../support/database-pool.js';
import { type AccountKitSuite, leaseAccountKitSuite } from './account-kit-suite.js';

const run = promisify(execFile);

interface Executed<Result> {
  response: { actionAddress: Address; result: Result };
}

interface Addresses {
  pkpAddress: Address;
  evm: { address: Address }[];
}

let kit: AccountKitSuite;
let folder: string;
let pool: pg.Pool;

beforeAll(async () => {
  kit = await leaseAccountKitSuite();
  pool = databasePool(kit.suite.databaseUrl);
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-actions-'));
});

afterAll(async () => {
  await pool.end();
  await rm(folder, { recursive: true });
});

const bot = (userId: string) => ({ 'X-BOT-TOKEN': kit.platforms.botToken(userId) });

/** Lists an action as an operator does. @returns its CID */
async function list(source: string, clientId = kit.client.clientId): Promise<string> {
  const file = join(folder, 'action.js');
  await writeFile(file, source);
  const args = ['add', '--client', clientId, '--file', file];
  return (await actions(args)).trim();
}

/** Runs `npm run gatehouse -- actions`. @returns what it printed */
async function actions(args: readonly string[]): Promise<string> {
  const { stdout } = await run(
    process.execPath,
    [bundleOf(root, 'account-kit', 'actions.command.js'), ...args],
    { env: { DATABASE_URL: kit.suite.databaseUrl, PATH: process.env.PATH } },
  );
  return stdout;
}

const execute = <Result>(
  userId: string,
  actionIpfs: string,
  actionJsParams: unknown = {},
  headers: Record<string, string> = {},
) =>
  kit.call<Executed<Result>>(
    `/accountkit/v1/chatbot/executeCustomActionUsingKeypair?chainId=${kit.chain.chainId}`,
    { method: 'POST', headers: { ...bot(userId), ...headers }, body: { actionIpfs, actionJsParams } },
  );

describe('a custom action of a bot', () => {
  it('custom action of a bot: signs with a key that is not that of the account, and is the same each time', async () => {
    const cid = await list('export default await sign(params.message)');
    const { status, body } = await execute<Hex>('5001', cid, { message: 'Hello' });
    expect(status).toBe(200);
    const { actionAddress, result: signature } = body.response;
    expect(await recoverMessageAddress({ message: 'Hello', signature })).toBe(actionAddress);

    const { body: addresses } = await kit.call<Addresses>('/accountkit/v1/chatbot/accounts', {
      headers: bot('5001'),
    });
    expect([addresses.pkpAddress, ...addresses.evm.map(({ address }) => address)]).not.toContain(
      actionAddress,
    );

    const again = await execute<Hex>('5001', cid, { message: 'Bye' });
    expect(again.body.response.actionAddress).toBe(actionAddress);
    const other = await execute<Hex>('5002', cid, { message: 'Hello' });
    expect(other.body.response.actionAddress).not.toBe(actionAddress);
  });

  it('custom action of a bot: is refused when it is not listed, fails, or is asked for without a valid token', async () => {
    const unlisted = await execute('5001', 'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG');
    expect(unlisted).toMatchObject({
      status: 404,
      body: { error: { details: { code: 'action_not_found' } } },
    });

    expect(await execute('5001', 'Qm')).toMatchObject({
      status: 400,
      body: { error: { details: { issues: [{ path: 'actionIpfs' }] } } },
    });

    const failing = await list('throw new Error("no luck")');
    expect(await execute('5001', failing)).toMatchObject({
      status: 400,
      body: { error: { message: 'The custom action failed: Error: no luck' } },
    });

    const { status } = await kit.call(
      `/accountkit/v1/chatbot/executeCustomActionUsingKeypair?chainId=${kit.chain.chainId}`,
      {
        method: 'POST',
        headers: { 'X-BOT-TOKEN': 'wrong' },
        body: { actionIpfs: failing, actionJsParams: {} },
      },
    );
    expect(status).toBe(401);
  });

  it('executeCustomActionUsingKeypair: signs with another key for each client application', async () => {
    const source = 'export default await sign("Hello")';
    const other = await kit.suite.createClient({ scopes: ['accountkit'] });
    const cid = await list(source);
    expect(await list(source, other.clientId)).toBe(cid);
    const signerOf = async ({ apiKey }: Client) => {
      const { status, body } = await execute<Hex>('5003', cid, {}, { 'X-API-Key': apiKey });
      expect(status).toBe(200);
      const { actionAddress, result: signature } = body.response;
      expect(await recoverMessageAddress({ message: 'Hello', signature })).toBe(actionAddress);
      return actionAddress;
    };
    const [first, second] = [await signerOf(kit.client), await signerOf(other)];
    expect(second).not.toBe(first);
    expect(await signerOf(other)).toBe(second);

    // The scope is that of actions which were listed before the migration: the key that all applications share.
    await pool.query(`UPDATE account_kit.custom_actions SET key_scope = 'account' WHERE cid = $1`, [cid]);
    const { rows } = await pool.query<{ address: Address }>(
      `SELECT action_address AS address FROM account_kit.smart_accounts WHERE platform_user_id = '5003'`,
    );
    const [{ address } = { address: first }] = rows;
    expect([await signerOf(kit.client), await signerOf(other)]).toEqual([address, address]);
    // Adding it once more changes nothing; an action that was removed is a new one.
    await list(source);
    expect(await signerOf(kit.client)).toBe(address);
    await actions(['remove', '--client', kit.client.clientId, '--cid', cid]);
    await list(source);
    expect([await signerOf(kit.client), await signerOf(other)]).toEqual([first, address]);
  });

  it('executeCustomActionUsingKeypair: refuses a chain that the deployment does not have', async () => {
    const cid = await list('export default 1');
    const call = (chainId: string) =>
      kit.call(`/accountkit/v1/chatbot/executeCustomActionUsingKeypair?chainId=${chainId}`, {
        method: 'POST',
        headers: bot('5001'),
        body: { actionIpfs: cid, actionJsParams: {} },
      });
    expect(await call('424242')).toMatchObject({
      status: 400,
      body: { error: { details: { code: 'chain_not_supported', issues: [{ path: 'chainId' }] } } },
    });
    expect((await call(String(kit.chain.chainId))).status).toBe(200);
  });

  it('custom action of a bot that never ends: is ended, and other requests are answered', async () => {
    const cid = await list('while (true);');
    const endless = execute('5001', cid);
    const addresses = await kit.call('/accountkit/v1/chatbot/accounts', { headers: bot('5001') });
    expect(addresses.status).toBe(200);
    expect(await endless).toMatchObject({
      status: 400,
      body: { error: { details: { code: 'action_limit_exceeded', limit: 'time' } } },
    });
  });

  it('custom action of a bot: has parameters of at most 64 KiB', async () => {
    const cid = await list('export default params.text.length');
    expect(await execute('5001', cid, { text: 'a'.repeat(60_000) })).toMatchObject({
      status: 200,
      body: { response: { result: 60_000 } },
    });
    expect(await execute('5001', cid, { text: 'a'.repeat(65_536) })).toMatchObject({
      status: 400,
      body: { error: { details: { issues: [{ path: 'actionJsParams' }] } } },
    });
  });
});
