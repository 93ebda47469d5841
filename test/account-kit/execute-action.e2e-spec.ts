import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Address, type Hex, recoverMessageAddress } from 'viem';
import { bundleOf } from '../../scripts/local/bundle.mjs';
import { root } from '../../scripts/local/project.mjs';
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

beforeAll(async () => {
  kit = await leaseAccountKitSuite();
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-actions-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

const bot = (userId: string) => ({ 'X-BOT-TOKEN': kit.platforms.botToken(userId) });

/** Lists an action as an operator does. @returns its CID */
async function list(source: string): Promise<string> {
  const file = join(folder, 'action.js');
  await writeFile(file, source);
  const args = ['add', '--client', kit.client.clientId, '--file', file];
  const { stdout } = await run(
    process.execPath,
    [bundleOf(root, 'account-kit', 'actions.command.js'), ...args],
    { env: { DATABASE_URL: kit.suite.databaseUrl, PATH: process.env.PATH } },
  );
  return stdout.trim();
}

const execute = <Result>(userId: string, actionIpfs: string, actionJsParams: unknown = {}) =>
  kit.call<Executed<Result>>(
    `/accountkit/v1/chatbot/executeCustomActionUsingKeypair?chainId=${kit.chain.chainId}`,
    { method: 'POST', headers: bot(userId), body: { actionIpfs, actionJsParams } },
  );

describe('a custom action of a bot', () => {
  it('signs with a key that is not that of the account, and is the same each time', async () => {
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

  it('is refused when it is not listed, fails, or is asked for without a valid token', async () => {
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

  it('that never ends is ended, and other requests are answered', async () => {
    const cid = await list('while (true);');
    const endless = execute('5001', cid);
    const addresses = await kit.call('/accountkit/v1/chatbot/accounts', { headers: bot('5001') });
    expect(addresses.status).toBe(200);
    expect(await endless).toMatchObject({
      status: 400,
      body: { error: { details: { code: 'action_limit_exceeded', limit: 'time' } } },
    });
  });

  it('has parameters of at most 64 KiB', async () => {
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
