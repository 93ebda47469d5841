import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { demoAccounts } from '../../scripts/demo/demo-accounts.mjs';
import { type Address, encodeFunctionData, erc20Abi } from 'viem';
import { ACCOUNT_CONTRACTS } from '../../apps/account-kit/src/evm/accounts/account-contracts.js';
import { metric } from '../faults/product.js';
import { until } from '../support/until.js';
import { type AccountKitSuite, startAccountKitSuite } from './account-kit-suite.js';

const RECIPIENT: Address = '0x00000000000000000000000000000000000a11ce';
const FUNDS = 10n ** 18n;

interface Addresses {
  evm: { address: Address; chainId: number }[];
  solana: { address: string; network: string }[];
}

interface Submitted {
  userOperationHash: string;
  chainId: number;
}

interface Receipt {
  readonly nonce: number | string;
  success?: boolean;
  actualGasUsed?: number | string;
}

interface Refused {
  error: { details: { code: string; issues: { path: string }[] } };
}

interface Minted {
  response: { contract: { fungible: { address: Address } }; userOperationHash: string };
}

let kit: AccountKitSuite;

beforeAll(async () => {
  kit = await startAccountKitSuite();
});

afterAll(() => kit.stop());

const bot = (userId: string) => ({ 'X-BOT-TOKEN': kit.platforms.botToken(userId) });

/** The account of a bot with money. */
async function fundedAccount(userId: string): Promise<Address> {
  const { status, body } = await kit.call<Addresses>('/accountkit/v1/chatbot/accounts', {
    headers: bot(userId),
  });
  expect(status).toBe(200);
  const [{ address } = { address: RECIPIENT }] = body.evm;
  await kit.chain.setNativeBalance(address, FUNDS);
  return address;
}

const submit = (userId: string, body: unknown, headers: Record<string, string> = {}) =>
  kit.call<Submitted>(`/accountkit/v1/chatbot/evm/submitUserOperation?chainId=${kit.chain.chainId}`, {
    method: 'POST',
    headers: { ...bot(userId), ...headers },
    body,
  });

const receiptOf = (userId: string, hash: string) =>
  kit.call<Receipt>(
    `/accountkit/v1/chatbot/evm/userOperationReceipt?chainId=${kit.chain.chainId}&userOperationHash=${hash}`,
    { headers: bot(userId) },
  );

describe('addresses', () => {
  it('smart account addresses: are the same for a bot token, an access token of the bot, and the id', async () => {
    const byBot = await kit.call<Addresses>('/accountkit/v1/chatbot/accounts', { headers: bot('1001') });
    const byToken = await kit.call<Addresses>('/accountkit/v2/platform/accounts?platform=chat', {
      headers: { 'X-ACCESS-TOKEN': kit.platforms.botToken('1001') },
    });
    const byId = await kit.call<Addresses>('/accountkit/v2/evm/calculateAccountAddress', {
      method: 'POST',
      body: { platform: 'chat', userId: '1001' },
    });
    expect(byBot.status).toBe(200);
    expect(byToken.body).toEqual(byBot.body);
    expect(byId.body).toEqual(byBot.body);
    expect(byBot.body.evm).toEqual([
      { address: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/), chainId: kit.chain.chainId },
    ]);
    expect(byBot.body.solana.map(({ network }) => network)).toEqual(['SOL', 'SOL_DEVNET']);
  });

  it.each([
    ...['0', '042', '-1', '-0', '+1', '1.5', '1e3', '0x2a', ' 42', '42\n', '٤٢', 'alice', '9'.repeat(20), ''],
    // JSON numbers lose digits above 2^53.
    ...[42, 2 ** 53],
  ])('smart account addresses: are not computed for the id %j', async (userId) => {
    const response = await kit.call<Refused>('/accountkit/v2/evm/calculateAccountAddress', {
      method: 'POST',
      body: { platform: 'chat', userId },
    });
    expect(response).toMatchObject({
      status: 400,
      body: { error: { details: { issues: [{ path: 'userId' }] } } },
    });
  });
});

describe('user operations', () => {
  it('user operations: deploy the account with the first one, and go on from there', async () => {
    await fundedAccount('2001');
    const before = await kit.chain.client.getBalance({ address: RECIPIENT });
    for (const value of ['3', '0x5']) {
      const { status, body } = await submit('2001', { target: RECIPIENT, calldata: '', value });
      expect({ status, body }).toMatchObject({ status: 200, body: { chainId: kit.chain.chainId } });
      const receipt = await receiptOf('2001', body.userOperationHash);
      expect(receipt).toMatchObject({
        status: 200,
        body: { userOpHash: body.userOperationHash, success: true, nonce: value === '3' ? 0 : 1 },
      });
      expect(typeof receipt.body.actualGasUsed).toBe('number');
    }
    expect(await kit.chain.client.getBalance({ address: RECIPIENT })).toBe(before + 8n);
  });

  it('user operations: are one for concurrent requests with one idempotency key', async () => {
    await fundedAccount('2002');
    const before = await kit.chain.client.getBalance({ address: RECIPIENT });
    const responses = await Promise.all(
      Array.from({ length: 50 }, () =>
        submit('2002', { target: RECIPIENT, value: '7' }, { 'Idempotency-Key': 'pay-once' }),
      ),
    );
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
    const hashes = new Set(responses.map(({ body }) => body.userOperationHash));
    expect(hashes.size).toBe(1);
    expect((await receiptOf('2002', [...hashes][0] ?? '')).body.success).toBe(true);
    expect(await kit.chain.client.getBalance({ address: RECIPIENT })).toBe(before + 7n);
    const other = await submit('2002', { target: RECIPIENT, value: '8' }, { 'Idempotency-Key': 'pay-once' });
    expect(other).toMatchObject({
      status: 409,
      body: { error: { details: { code: 'idempotency_key_conflict' } } },
    });
  });

  it('user operations: are refused when they would revert, or the account cannot pay', async () => {
    await fundedAccount('2003');
    const target = '0x0000000000000000000000000000000000bad001';
    await kit.chain.client.setCode({ address: target, bytecode: '0x60006000fd' });
    const reverting = await submit('2003', { target, value: '1' });
    expect(reverting).toMatchObject({ status: 409, body: { error: { details: { code: 'would_revert' } } } });
    const tooMuch = await submit('2003', { target: RECIPIENT, value: String(2n * FUNDS) });
    expect(tooMuch).toMatchObject({
      status: 409,
      body: { error: { details: { code: 'account_funds_required' } } },
    });
    const poor = await submit('2004', { target: RECIPIENT, value: '0' });
    expect(poor).toMatchObject({
      status: 409,
      body: { error: { details: { code: 'account_funds_required' } } },
    });
  });

  it('user operations: are refused with 503 while the nodes do not answer, and nothing is stored', async () => {
    await fundedAccount('2009');
    await kit.chain.pause();
    try {
      expect(await submit('2009', { target: RECIPIENT, value: '1' })).toMatchObject({
        status: 503,
        body: { error: { details: { code: 'chain_unavailable' } } },
      });
    } finally {
      kit.chain.resume();
    }
    expect((await submit('2009', { target: RECIPIENT, value: '1' })).status).toBe(200);
  });

  it('user operations: never have the contracts of smart accounts as targets', async () => {
    const account = await fundedAccount('2008');
    for (const target of [account, ACCOUNT_CONTRACTS['0.8'].entryPoint, ACCOUNT_CONTRACTS['0.7'].factory])
      expect(await submit('2008', { target, value: '0' })).toMatchObject({
        status: 403,
        body: { error: { details: { code: 'policy_forbidden' } } },
      });
  });

  it('user operations: are not found by other accounts', async () => {
    await fundedAccount('2005');
    const { body } = await submit('2005', { target: RECIPIENT, value: '1' });
    expect(await receiptOf('2006', body.userOperationHash)).toMatchObject({
      status: 404,
      body: { error: { details: { code: 'user_operation_not_found' } } },
    });
  });

  it.each([
    [{ target: RECIPIENT, callData: '0x01', calldata: '0x02' }, 'calldata'],
    [{ target: '0x12', value: '1' }, 'target'],
    [{ target: RECIPIENT, value: '-1' }, 'value'],
    [{ target: RECIPIENT, value: `0x1${'0'.repeat(64)}` }, 'value'],
    [{ target: RECIPIENT, callData: '0x123' }, 'callData'],
    [{ target: RECIPIENT, gas: '1' }, 'gas'],
    [{ target: RECIPIENT, function: 'pause()', callData: '' }, 'callData'],
    [{ target: RECIPIENT, arguments: ['1'] }, 'arguments'],
    [{ target: RECIPIENT, function: 'pause() returns (bool)' }, 'function'],
    [{ target: RECIPIENT, function: 'burn(uint256)', arguments: [1] }, 'arguments.0'],
  ])('user operations: refuse %j and name the field %s', async (body, path) => {
    const response = await submit('2007', body);
    expect(response).toMatchObject({ status: 400, body: { error: { details: { issues: [{ path }] } } } });
  });
});

describe('a user of another platform', () => {
  it('user of another platform: sends a batch with an access token, and reads the receipt with it', async () => {
    const headers = { 'X-ACCESS-TOKEN': kit.platforms.accessToken('microblog', '9007199254740993') };
    const { body: accounts } = await kit.call<Addresses>(
      '/accountkit/v2/platform/accounts?platform=microblog',
      {
        headers,
      },
    );
    const [{ address } = { address: RECIPIENT }] = accounts.evm;
    await kit.chain.setNativeBalance(address, FUNDS);
    const recipient: Address = '0x00000000000000000000000000000000000ba7c4';
    const { status, body } = await kit.call<Submitted>(
      `/accountkit/v2/platform/evm/submitUserOperation?platform=microblog&chainId=${kit.chain.chainId}`,
      {
        method: 'POST',
        headers,
        body: {
          userOps: [
            { target: recipient, value: '1' },
            { target: recipient, value: '2' },
          ],
        },
      },
    );
    expect(status).toBe(200);
    const query = `platform=microblog&chainId=${kit.chain.chainId}&userOperationHash=${body.userOperationHash}`;
    const path = `/accountkit/v1/chatbot/evm/userOperationReceipt?${query}`;
    expect(await kit.call<Receipt>(path, { headers })).toMatchObject({
      status: 200,
      body: { success: true },
    });
    expect(await kit.chain.client.getBalance({ address: recipient })).toBe(3n);
    const both = { ...headers, ...bot('1001') };
    expect(await kit.call(path, { headers: both })).toMatchObject({
      status: 400,
      body: { error: { details: { issues: [{ path: 'X-ACCESS-TOKEN' }] } } },
    });
  });
});

describe('mint', () => {
  it('mint: deploys a token whose supply the account has', async () => {
    const account = await fundedAccount('3001');
    const { status, body } = await kit.call<Minted>(
      `/accountkit/v1/chatbot/evm/mint?chainId=${kit.chain.chainId}`,
      {
        method: 'POST',
        headers: bot('3001'),
        body: { name: 'Bot Coin', symbol: 'BOT', metadata: { image: 'https://example.org/a.png' } },
      },
    );
    expect(status).toBe(200);
    const { contract, userOperationHash } = body.response;
    expect((await receiptOf('3001', userOperationHash)).body.success).toBe(true);
    const balance = await kit.chain.client.readContract({
      address: contract.fungible.address,
      abi: erc20Abi,
      functionName: 'balanceOf',
      args: [account],
    });
    expect(balance).toBe(10n ** 27n);
  });

  it('mint: is an operation of the lane that X-Nonce-Key names', async () => {
    const account = await fundedAccount('3004');
    const { status, body } = await kit.call<Minted>(
      `/accountkit/v1/chatbot/evm/mint?chainId=${kit.chain.chainId}`,
      {
        method: 'POST',
        headers: { ...bot('3004'), 'X-Nonce-Key': '7' },
        body: { name: 'Bot Coin', symbol: 'BOT', metadata: {} },
      },
    );
    expect(status).toBe(200);
    const { body: receipt } = await receiptOf('3004', body.response.userOperationHash);
    expect(receipt).toMatchObject({ success: true, sender: account });
    expect(BigInt(receipt.nonce) >> 64n).toBe(7n);
  });

  it('mint: answers the metadata of the request, also to a repeat with the same Idempotency-Key', async () => {
    await fundedAccount('3002');
    const metadata = {
      description: 'A coin',
      website_link: 'https://example.org',
      image: '',
      media: 'https://example.org/a.png',
      nsfw: false,
      telegram: { of_their_own: [1], invite: 'https://example.org/t' },
      // The schema does not know these keys, so they keep the order of the request.
      discord: 'https://example.org/d',
    };
    const mint = (change: object) =>
      kit.call<Minted>(`/accountkit/v1/chatbot/evm/mint?chainId=${kit.chain.chainId}`, {
        method: 'POST',
        headers: { ...bot('3002'), 'Idempotency-Key': 'mint-with-metadata' },
        body: { name: 'Bot Coin', symbol: 'BOT', metadata: { ...metadata, ...change } },
      });
    const first = await mint({});
    expect(first).toMatchObject({
      status: 200,
      body: {
        response: {
          contract: { fungible: { object: 'fungible', media: metadata.media, metadata, decimals: 18 } },
        },
      },
    });
    expect(await mint({})).toMatchObject({ status: 200, body: first.body });
    const reversed = Object.fromEntries(Object.entries(metadata).toReversed());
    expect(
      await kit.call<Minted>(`/accountkit/v1/chatbot/evm/mint?chainId=${kit.chain.chainId}`, {
        method: 'POST',
        headers: { ...bot('3002'), 'Idempotency-Key': 'mint-with-metadata' },
        body: { metadata: reversed, symbol: 'BOT', name: 'Bot Coin' },
      }),
    ).toMatchObject({
      status: 200,
      body: { response: { userOperationHash: first.body.response.userOperationHash } },
    });
    expect((await mint({ description: 'Another' })).status).toBe(409);
  });
});

describe('a call by its function', () => {
  it('submitUserOperation: a transfer by function is the operation of its call data, also for one Idempotency-Key', async () => {
    await fundedAccount('3003');
    const minted = await kit.call<Minted>(`/accountkit/v1/chatbot/evm/mint?chainId=${kit.chain.chainId}`, {
      method: 'POST',
      headers: bot('3003'),
      body: { name: 'Bot Coin', symbol: 'BOT', metadata: {} },
    });
    const { contract, userOperationHash } = minted.body.response;
    expect((await receiptOf('3003', userOperationHash)).body.success).toBe(true);
    const token = contract.fungible.address;
    const recipient: Address = '0x00000000000000000000000000000000000f17c7';
    const byFunction = (amount: string) => ({
      target: token,
      function: 'transfer(address to, uint256 amount)',
      arguments: [recipient, amount],
    });
    const callData = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [recipient, 12n] });
    const key = { 'Idempotency-Key': 'transfer-once' };
    const first = await submit('3003', byFunction('12'), key);
    expect(first.status).toBe(200);
    expect(await submit('3003', { target: token, callData }, key)).toMatchObject({
      status: 200,
      body: first.body,
    });
    expect(await submit('3003', byFunction('0xc'), key)).toMatchObject({ status: 200, body: first.body });
    expect((await submit('3003', byFunction('13'), key)).status).toBe(409);
    expect((await receiptOf('3003', first.body.userOperationHash)).body.success).toBe(true);
    const second = await submit('3003', { target: token, callData });
    expect((await receiptOf('3003', second.body.userOperationHash)).body.success).toBe(true);
    const balance = await kit.chain.client.readContract({
      address: token,
      abi: erc20Abi,
      functionName: 'balanceOf',
      args: [recipient],
    });
    expect(balance).toBe(24n);
  });
});

describe('metrics', () => {
  it('metrics of account-kit: tell that an executor has no coins, and how old the operation is that waits for them', async () => {
    const { address } = (await demoAccounts()).executor;
    const chain = `chain="${kit.chain.chainId}"`;
    const running = kit.suite.app('account-kit');
    await fundedAccount('2010');
    await until('the executor has sent everything', async () => {
      const waiting = 'account_kit_oldest_operation_seconds';
      return (await metric(running, waiting, chain)) === 0;
    });
    const balance = await kit.chain.client.getBalance({ address });
    await kit.chain.setNativeBalance(address, 0n);
    expect((await submit('2010', { target: RECIPIENT, value: '1' })).status).toBe(200);
    await until(
      'it waits',
      async () => (await metric(running, 'account_kit_oldest_operation_seconds', chain)) > 0,
    );

    // Another instance, because balances are loaded every half minute.
    const another = await kit.suite.another('account-kit');
    const affordable = 'account_kit_executor_affordable_bundles';
    const series = await (await fetch(`${another.managementUrl}/metrics`)).text();
    expect(series).toMatch(new RegExp(`^${affordable}\\{.*executor="${address}".*\\} 0$`, 'mi'));
    await another.stop();

    await kit.chain.setNativeBalance(address, balance);
    await until(
      'it is sent',
      async () => (await metric(running, 'account_kit_oldest_operation_seconds', chain)) === 0,
    );
    const rich = await kit.suite.another('account-kit');
    expect(await metric(rich, affordable, chain)).toBeGreaterThan(10);
  });
});
