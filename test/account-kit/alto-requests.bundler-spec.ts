import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Address } from 'viem';
import { freePort } from '../../scripts/processes/ports.mjs';
import { Alto } from '../support/alto.js';
import { LOCAL_CHAIN_ID } from '../../scripts/chain/anvil.mjs';
import { type AccountKitSuite, startAccountKitSuite } from './account-kit-suite.js';

interface Receipt {
  success: boolean;
  nonce: number;
  paymaster: string;
}

const RECIPIENT: Address = '0x00000000000000000000000000000000000a11ce';

let kit: AccountKitSuite;
let alto: Alto;

beforeAll(async () => {
  const port = await freePort();
  const bundler = { [`BUNDLER_URL_${LOCAL_CHAIN_ID}`]: `http://127.0.0.1:${port}` };
  kit = await startAccountKitSuite(bundler, { hasPaymasters: true });
  alto = await Alto.start(kit.chain.rpcUrl, { port });
});

afterAll(async () => {
  await alto.kill();
  await kit.stop();
});

const byUser = (userId: string) => ({ 'X-ACCESS-TOKEN': kit.platforms.accessToken('microblog', userId) });
const byBot = (userId: string) => ({ 'X-BOT-TOKEN': kit.platforms.botToken(userId) });
const userQuery = `platform=microblog&chainId=${LOCAL_CHAIN_ID}`;
const botQuery = `chainId=${LOCAL_CHAIN_ID}`;

async function post<Body>(path: string, headers: Record<string, string>, body: unknown): Promise<Body> {
  const response = await kit.call<Body>(path, { method: 'POST', headers, body });
  expect(response).toMatchObject({ status: 200 });
  return response.body;
}

async function submit(userId: string, values: readonly string[]): Promise<string> {
  const path = `/accountkit/v2/platform/evm/submitUserOperation?${userQuery}`;
  const body = { userOps: values.map((value) => ({ target: RECIPIENT, value })) };
  return (await post<{ userOperationHash: string }>(path, byUser(userId), body)).userOperationHash;
}

const receiptOf = async (hash: string, query: string, headers: Record<string, string>) => {
  const path = `/accountkit/v1/chatbot/evm/userOperationReceipt?${query}&userOperationHash=${hash}`;
  return (await kit.call<Receipt>(path, { headers })).body;
};

describe('requests on a chain whose bundler is alto', () => {
  it('requests on a chain whose bundler is alto: send single and batch operations of a new and a deployed account, which a sponsor pays', async () => {
    const path = '/accountkit/v2/platform/accounts?platform=microblog';
    const { body } = await kit.call<{ evm: { address: Address }[] }>(path, { headers: byUser('71') });
    const [account] = body.evm;
    if (!account) throw new Error('there is no account');
    await kit.chain.setNativeBalance(account.address, 15n);
    const before = await kit.chain.client.getBalance({ address: RECIPIENT });
    const sponsored = { success: true, paymaster: kit.contracts.paymaster08 };
    const first = await submit('71', ['1']);
    expect(await receiptOf(first, userQuery, byUser('71'))).toMatchObject({ ...sponsored, nonce: 0 });
    const [second, third] = [await submit('71', ['2', '4']), await submit('71', ['8'])];
    expect(await receiptOf(second, userQuery, byUser('71'))).toMatchObject({ ...sponsored, nonce: 1 });
    expect(await receiptOf(third, userQuery, byUser('71'))).toMatchObject({ ...sponsored, nonce: 2 });
    expect(await kit.chain.client.getBalance({ address: RECIPIENT })).toBe(before + 15n);
  });

  it('requests on a chain whose bundler is alto: mint a token with the first operation of an account', async () => {
    const token = { name: 'Bot Coin', symbol: 'BOT', metadata: {} };
    const path = `/accountkit/v1/chatbot/evm/mint?${botQuery}`;
    const { response } = await post<{ response: { userOperationHash: string } }>(path, byBot('72'), token);
    const receipt = await receiptOf(response.userOperationHash, botQuery, byBot('72'));
    expect(receipt).toMatchObject({ success: true });
  });
});
