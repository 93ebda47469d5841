import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bundleOf } from '../../scripts/local/bundle.mjs';
import { root } from '../../scripts/local/project.mjs';
import { type AccountKitSuite, startAccountKitSuite } from './account-kit-suite.js';

const run = promisify(execFile);
const USER = '4001';
const PAYEE = '0x00000000000000000000000000000000000a11ce';
const OTHER = '0x0000000000000000000000000000000000000b0b';

let kit: AccountKitSuite;
let folder: string;

beforeAll(async () => {
  kit = await startAccountKitSuite({ DEFAULT_POLICY: 'deny' });
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-policies-'));
  const { body } = await kit.call<{ evm: { address: `0x${string}` }[] }>('/accountkit/v1/chatbot/accounts', {
    headers: bot(),
  });
  for (const { address } of body.evm) await kit.chain.setNativeBalance(address, 10n ** 18n);
});

afterAll(async () => {
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
  it('is needed where the default denies', async () => {
    await command('remove', '--client', kit.client.clientId);
    await setPolicy({ calls: [{ chainId: kit.chain.chainId, target: 'any' }], maxValue: '9' }, 'another');
    expect(await pay(PAYEE, '1')).toMatchObject(FORBIDDEN);
    expect(await mint()).toMatchObject(FORBIDDEN);
  });

  it('allows what it lists, and nothing else is stored or signed', async () => {
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

  it('is judged before Solana transactions are decoded', async () => {
    const transaction = { serializedTransactionBase64: 'AAAA' };
    expect(await post('solana/submitTransaction?network=SOL_DEVNET', transaction)).toMatchObject(FORBIDDEN);
  });

  it('ends with the next request once it is removed', async () => {
    await setPolicy({ calls: [{ chainId: kit.chain.chainId, target: 'any' }], maxValue: '1' });
    expect(await pay(PAYEE, '1')).toMatchObject({ status: 200 });
    await command('remove', '--client', kit.client.clientId);
    expect(await pay(PAYEE, '1')).toMatchObject(FORBIDDEN);
  });
});

describe('npm run policies', () => {
  it('shows what was set, and keeps it when the next document is invalid', async () => {
    await setPolicy({ maxValue: '7' }, 'shown');
    await expect(setPolicy({ maxValue: 7 }, 'shown')).rejects.toMatchObject({
      code: 65,
      stderr: expect.stringContaining('maxValue'),
    });
    expect(JSON.parse((await command('show', '--client', 'shown')).stdout)).toEqual({ maxValue: '7' });
    expect((await command('show', '--client', 'unknown')).stdout).toBe('unknown has no policy.\n');
  });

  it('says what is missing', async () => {
    await expect(command('set')).rejects.toMatchObject({ code: 64, stderr: '--client: is missing\n' });
    await expect(command('set', '--client', 'x')).rejects.toMatchObject({
      code: 64,
      stderr: '--file: is missing\n',
    });
  });
});
