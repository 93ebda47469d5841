import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { type Address, erc20Abi, parseAbi } from 'viem';
import { entryPoint08Abi } from 'viem/account-abstraction';
import type { Client } from '../support/create-client.js';
import { databasePool } from '../support/database-pool.js';
import { type AccountKitSuite, leaseAccountKitSuite } from './account-kit-suite.js';

const TARGET: Address = '0x00000000000000000000000000000000000a11ce';
const HOUR_MS = 60 * 60_000;

interface Receipt {
  success?: boolean;
  nonce: number;
  actualGasCost: number | string;
  paymaster: string;
}

let kit: AccountKitSuite;
let pool: pg.Pool;

beforeAll(async () => {
  kit = await leaseAccountKitSuite({ hasPaymasters: true });
  pool = databasePool(kit.suite.databaseUrl);
});

afterAll(async () => {
  await pool.end();
});

const headersOf = (userId: string, client: Client = kit.client) => ({
  'X-BOT-TOKEN': kit.platforms.botToken(userId),
  'X-API-Key': client.apiKey,
});

async function addressOf(userId: string): Promise<Address> {
  const { body } = await kit.call<{ evm: { address: Address }[] }>('/accountkit/v1/chatbot/accounts', {
    headers: headersOf(userId),
  });
  const [account] = body.evm;
  if (!account) throw new Error('there is no account');
  return account.address;
}

const post = <Body>(path: string, userId: string, body: unknown, client?: Client) =>
  kit.call<Body>(`/accountkit/v1/chatbot/evm/${path}?chainId=${kit.chain.chainId}`, {
    method: 'POST',
    headers: headersOf(userId, client),
    body,
  });

const submit = (userId: string, body: unknown = { target: TARGET }, client?: Client) =>
  post<{ userOperationHash: string }>('submitUserOperation', userId, body, client);

async function receiptOf(userId: string, hash: string): Promise<Receipt> {
  const query = `chainId=${kit.chain.chainId}&userOperationHash=${hash}`;
  const { status, body } = await kit.call<Receipt>(
    `/accountkit/v1/chatbot/evm/userOperationReceipt?${query}`,
    {
      headers: headersOf(userId),
    },
  );
  expect({ status, body }).toMatchObject({ status: 200, body: { success: true } });
  return body;
}

const loadDeposit = () =>
  kit.chain.client.readContract({
    address: kit.contracts.entryPoint08,
    abi: entryPoint08Abi,
    functionName: 'balanceOf',
    args: [kit.contracts.paymaster08],
  });

/** A client application with a policy of its own. */
async function createClient(policy: unknown): Promise<Client> {
  const client = await kit.suite.createClient({ scopes: ['accountkit'] });
  await pool.query('INSERT INTO account_kit.policies (client_id, document) VALUES ($1, $2)', [
    client.clientId,
    JSON.stringify(policy),
  ]);
  return client;
}

const refusal = (status: number, code: string) => ({ status, body: { error: { details: { code } } } });

describe('sponsored user operations', () => {
  it('sponsored user operations: deploy an empty account and go on, paid by the deposit of the paymaster', async () => {
    const address = await addressOf('5001');
    for (const nonce of [0, 1]) {
      const before = await loadDeposit();
      const { status, body } = await submit('5001');
      expect({ status, body }).toMatchObject({ status: 200 });
      const receipt = await receiptOf('5001', body.userOperationHash);
      expect(receipt).toMatchObject({ nonce, paymaster: kit.contracts.paymaster08 });
      expect(await loadDeposit()).toBe(before - BigInt(receipt.actualGasCost));
    }
    expect(await kit.chain.client.getCode({ address })).toMatch(/^0x/);
    expect(await kit.chain.client.getBalance({ address })).toBe(0n);
  });

  it('sponsored user operations: are signed by the sponsor for one hour, within the hash that the account signs', async () => {
    const before = Date.now();
    const { body } = await submit('5002');
    const { rows } = await pool.query<{ valid_until: Date; paymaster_data: Buffer }>(
      'SELECT valid_until, paymaster_data FROM account_kit.user_operations WHERE hash = $1',
      [body.userOperationHash],
    );
    const [row] = rows;
    if (!row) throw new Error('nothing is stored');
    const validUntil = row.valid_until.getTime();
    expect(validUntil).toBeGreaterThan(before + HOUR_MS - 1_000);
    expect(validUntil).toBeLessThanOrEqual(Date.now() + HOUR_MS);
    expect(Number(BigInt(`0x${row.paymaster_data.subarray(0, 32).toString('hex')}`)) * 1_000).toBe(
      validUntil,
    );
    await receiptOf('5002', body.userOperationHash);
  });

  it('sponsored user operations: do not pay what the calls send', async () => {
    const address = await addressOf('5003');
    const payment = { target: TARGET, value: '5' };
    expect(await submit('5003', payment)).toMatchObject(refusal(409, 'account_funds_required'));
    await kit.chain.setNativeBalance(address, 5n);
    const { body } = await submit('5003', payment);
    await receiptOf('5003', body.userOperationHash);
    expect(await kit.chain.client.getBalance({ address })).toBe(0n);
  });

  it('sponsored user operations: are those of applications whose policy says so', async () => {
    const { chainId } = kit.chain;
    const calls = [{ chainId, target: 'any' }];
    const refused = await createClient({ calls, mintChains: [chainId] });
    expect(await submit('5004', undefined, refused)).toMatchObject(refusal(409, 'account_funds_required'));
    const elsewhere = await createClient({ calls, sponsoredChains: [1] });
    expect(await submit('5004', undefined, elsewhere)).toMatchObject(refusal(409, 'account_funds_required'));
    const sponsored = await createClient({ calls, sponsoredChains: [chainId] });
    const { body } = await submit('5004', undefined, sponsored);
    await receiptOf('5004', body.userOperationHash);
  });

  it('sponsored user operations: mint from an empty account in one operation, also where calls are not sponsored', async () => {
    const account = await addressOf('5005');
    const client = await createClient({ mintChains: [kit.chain.chainId] });
    const token = { name: 'Bot Coin', symbol: 'BOT', metadata: {} };
    const { status, body } = await post<{
      response: { contract: { fungible: { address: Address } }; userOperationHash: string };
    }>('mint', '5005', token, client);
    expect({ status, body }).toMatchObject({ status: 200 });
    const { contract, userOperationHash } = body.response;
    expect(await receiptOf('5005', userOperationHash)).toMatchObject({ nonce: 0 });
    const balance = await kit.chain.client.readContract({
      address: contract.fungible.address,
      abi: erc20Abi,
      functionName: 'balanceOf',
      args: [account],
    });
    expect(balance).toBe(10n ** 27n);
    expect(await kit.chain.client.getBalance({ address: account })).toBe(0n);
  });

  it('sponsored user operations: are refused for an application of which too many have reverted today', async () => {
    const policy = {
      calls: [{ chainId: kit.chain.chainId, target: 'any' }],
      sponsoredChains: [kit.chain.chainId],
      mintChains: [kit.chain.chainId],
    };
    const client = await createClient(policy);
    const { body } = await submit('5008', undefined, client);
    await receiptOf('5008', body.userOperationHash);
    const reverted = (at: string) =>
      pool.query(
        `INSERT INTO account_kit.user_operations SELECT (r).* FROM (
           SELECT jsonb_populate_record(o, jsonb_build_object('id', gen_random_uuid(), 'hash', md5(random()::text),
             'nonce_sequence', (1e9 * random())::bigint, 'success', false, 'state', 'reverted', 'accepted_at', ${at})) AS r
           FROM account_kit.user_operations AS o, generate_series(1, 50) WHERE o.hash = $1) AS copies`,
        [body.userOperationHash],
      );
    await reverted(`date_trunc('day', now(), 'UTC') - interval '1 second'`);
    const { body: next } = await submit('5008', undefined, client);
    await receiptOf('5008', next.userOperationHash);
    await reverted('now()');
    expect(await submit('5008', undefined, client)).toMatchObject(refusal(403, 'policy_limit_exceeded'));
    const token = { name: 'Bot Coin', symbol: 'BOT', metadata: {} };
    expect(await post('mint', '5008', token, client)).toMatchObject(refusal(403, 'policy_limit_exceeded'));
    const other = await submit('5009');
    await receiptOf('5009', other.body.userOperationHash);
  });

  it('sponsored user operations: never have a paymaster as target', async () => {
    for (const target of [kit.contracts.paymaster07, kit.contracts.paymaster08])
      expect(await submit('5006', { target })).toMatchObject(refusal(403, 'policy_forbidden'));
  });

  it('sponsored user operations: are refused while the deposit does not cover them', async () => {
    const deposit = await loadDeposit();
    const abi = parseAbi(['function withdrawTo(address recipient, uint256 amount)']);
    await kit.chain.send({ address: kit.contracts.paymaster08, abi }, 'withdrawTo', [TARGET, deposit]);
    expect(await submit('5007')).toMatchObject(refusal(503, 'sponsor_unavailable'));
    const hash = await kit.chain.client.writeContract({
      address: kit.contracts.entryPoint08,
      abi: entryPoint08Abi,
      functionName: 'depositTo',
      args: [kit.contracts.paymaster08],
      value: deposit,
    });
    await kit.chain.client.waitForTransactionReceipt({ hash });
    const { body } = await submit('5007');
    await receiptOf('5007', body.userOperationHash);
  });
});
