import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Address } from 'viem';
import { isAddressEqual, parseGwei } from 'viem/utils';
import { DETERMINISTIC_DEPLOYER } from '../../apps/account-kit/src/evm/accounts/account-contracts.js';
import { forwardTo, HostileNode, type NodeRequest } from '../support/hostile-node.js';
import { databasePool } from '../support/database-pool.js';
import { until } from '../support/until.js';
import { holdSignedOperations } from './hold-signed-operations.js';
import { type AccountKitSuite, startAccountKitSuite } from './account-kit-suite.js';

const RECIPIENT: Address = '0x00000000000000000000000000000000000a11ce';
const FUNDS = 10n ** 18n;

interface Submitted {
  userOperationHash: string;
}

interface Receipt {
  nonce: number;
  success: boolean;
  actualGasCost: string | number;
  actualGasUsed: string | number;
}

let kit: AccountKitSuite;
let node: HostileNode;
/** Changes what the node is asked. */
let rewriteRequest = (request: NodeRequest): NodeRequest => request;
/** Changes what the node answers to a method. */
let rewriteAnswer = (_request: NodeRequest, answer: string): string => answer;
/** Whether the chain has the deterministic deployer. */
let hasDeployer = false;

beforeAll(async () => {
  kit = await startAccountKitSuite(async (_, chain) => {
    node = await HostileNode.start((request, response) =>
      forwardTo(chain.rpcUrl, (answer) => rewriteAnswer(request, hideDeployer(request, answer)))(
        rewriteRequest(request),
        response,
      ),
    );
    return { [`RPC_URL_${chain.chainId}`]: node.url };
  });
});

afterEach(() => {
  rewriteRequest = (request) => request;
  rewriteAnswer = (_request, answer) => answer;
});

afterAll(async () => {
  await kit.stop();
  await node.stop();
});

function hideDeployer({ method, params }: NodeRequest, answer: string): string {
  const isAsked = method === 'eth_getCode' && isAddressEqual(params[0] as Address, DETERMINISTIC_DEPLOYER);
  return isAsked && !hasDeployer ? answer.replace(/"0x[0-9a-f]*"(?=})/, '"0x"') : answer;
}

const bot = (userId: string) => ({ 'X-BOT-TOKEN': kit.platforms.botToken(userId) });

async function fundedAccount(userId: string, funds = FUNDS): Promise<Address> {
  const { body } = await kit.call<{ evm: { address: Address }[] }>('/accountkit/v1/chatbot/accounts', {
    headers: bot(userId),
  });
  const [{ address } = { address: RECIPIENT }] = body.evm;
  await kit.chain.setNativeBalance(address, funds);
  return address;
}

/** The body, once the account of the user has money. */
async function withFunds<Body>(userId: string, body: Body): Promise<Body> {
  await fundedAccount(userId);
  return body;
}

const submit = (userId: string, body: unknown, headers: Record<string, string> = {}) =>
  kit.call<Submitted>(`/accountkit/v1/chatbot/evm/submitUserOperation?chainId=${kit.chain.chainId}`, {
    method: 'POST',
    headers: { ...bot(userId), ...headers },
    body,
  });

/** Submits, and waits until the operation is included. */
async function execute(userId: string, body: unknown): Promise<Receipt> {
  const submitted = await submit(userId, body);
  expect(submitted).toMatchObject({ status: 200 });
  const hash = submitted.body.userOperationHash;
  const receipt = await kit.call<Receipt>(
    `/accountkit/v1/chatbot/evm/userOperationReceipt?chainId=${kit.chain.chainId}&userOperationHash=${hash}`,
    { headers: bot(userId) },
  );
  expect(receipt).toMatchObject({ status: 200, body: { success: true } });
  return receipt.body;
}

/** Operations of a chain share an estimate of its fees for a second. */
const untilEstimatesEnded = () => new Promise((resolve) => setTimeout(resolve, 1_100));

const refusal = (status: number, code: string) => ({ status, body: { error: { details: { code } } } });

it('mint: is 400 mint_not_supported until the chain has the deterministic deployer, and calls go on', async () => {
  await fundedAccount('7000');
  const mint = () =>
    kit.call(`/accountkit/v1/chatbot/evm/mint?chainId=${kit.chain.chainId}`, {
      method: 'POST',
      headers: bot('7000'),
      body: { name: 'Token', symbol: 'TKN', metadata: {} },
    });
  await execute('7000', { target: RECIPIENT, value: '1' });
  expect(await mint()).toMatchObject(refusal(400, 'mint_not_supported'));
  hasDeployer = true;
  await until('the chain was checked again', async () => (await mint()).status === 200);
});

it('submitUserOperation: a node one block behind gets no second deployment signed', async () => {
  await fundedAccount('7001');
  const behind = await kit.chain.client.getBlockNumber();
  await execute('7001', { target: RECIPIENT, value: '1' });
  rewriteRequest = (request) => ({
    ...request,
    // The parameters, which some methods do not have.
    params:
      (request.params as readonly unknown[] | undefined)?.map((param) =>
        param === 'latest' ? `0x${behind.toString(16)}` : param,
      ) ?? [],
  });
  const refused = await submit('7001', { target: RECIPIENT, value: '1' });
  expect(refused).toMatchObject(refusal(409, 'account_deploying'));
  expect(refused.headers.get('retry-after')).toMatch(/^[1-9]/);
  rewriteRequest = (request) => request;
  await execute('7001', { target: RECIPIENT, value: '1' });
});

it('submitUserOperation: a node that suggests a tip of 400 gwei makes no operation pay more than 50', async () => {
  await fundedAccount('7002');
  await untilEstimatesEnded();
  rewriteAnswer = ({ method }, answer) =>
    method === 'eth_maxPriorityFeePerGas'
      ? answer.replace(/"0x[0-9a-f]+"/, `"0x${parseGwei('400').toString(16)}"`)
      : answer;
  const { actualGasCost, actualGasUsed } = await execute('7002', { target: RECIPIENT, value: '1' });
  const price = BigInt(actualGasCost) / BigInt(actualGasUsed);
  expect(price).toBeGreaterThanOrEqual(parseGwei('50'));
  expect(price).toBeLessThan(parseGwei('60'));
});

it('submitUserOperation: is 503 fees_too_high while a block costs more than MAX_FEE_PER_GAS, and signs nothing', async () => {
  const account = await fundedAccount('7003');
  await untilEstimatesEnded();
  await kit.chain.client.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('600') });
  await kit.chain.client.mine({ blocks: 1 });
  const refused = await submit('7003', { target: RECIPIENT, value: '1' });
  expect(refused).toMatchObject(refusal(503, 'fees_too_high'));
  expect(refused.headers.get('retry-after')).toMatch(/^[1-9]/);
  await kit.chain.client.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('1') });
  await kit.chain.client.mine({ blocks: 1 });
  await untilEstimatesEnded();
  expect(await kit.chain.client.getBalance({ address: account })).toBe(FUNDS);
  await execute('7003', { target: RECIPIENT, value: '1' });
});

it('submitUserOperation: is 503 fees_too_high for what no transaction within EXECUTOR_TX_FEE_CAP can carry, and takes no nonce', async () => {
  await fundedAccount('7005', 100n * FUNDS);
  const looping: Address = '0x0000000000000000000000000000000000100900';
  // Counts from 131,072 to zero, which takes 3.4 million gas.
  await kit.chain.client.setCode({ address: looping, bytecode: '0x620200005b600190038060045700' });
  await untilEstimatesEnded();
  await kit.chain.client.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('400') });
  await kit.chain.client.mine({ blocks: 1 });
  const refused = await submit('7005', { target: looping, value: '0' });
  await kit.chain.client.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('1') });
  await kit.chain.client.mine({ blocks: 1 });
  expect(refused).toMatchObject({
    status: 503,
    body: {
      error: {
        details: { code: 'fees_too_high', limit: 'transactionCost', allowed: '900000000000000000' },
      },
    },
  });
  expect(refused.headers.get('retry-after')).toMatch(/^[1-9]/);
  await untilEstimatesEnded();
  expect(await execute('7005', { target: looping, value: '0' })).toMatchObject({ nonce: 0 });
});

it('submitUserOperation: is 409 operation_too_large for what no transaction can hold, and takes no nonce', async () => {
  await fundedAccount('7004', 100n * FUNDS);
  const burner: Address = '0x00000000000000000000000000000000000b0b00';
  // Loops while more than 65,536 gas are left.
  await kit.chain.client.setCode({ address: burner, bytecode: '0x5b5a6201000010600057' });
  expect(await submit('7004', { target: burner, value: '0' })).toMatchObject({
    status: 409,
    body: { error: { details: { code: 'operation_too_large', limit: 'gas', allowed: '12000000' } } },
  });
  expect(await execute('7004', { target: RECIPIENT, value: '1' })).toMatchObject({ nonce: 0 });
});

it('submitUserOperation: takes off the balance what operations of other lanes may cost, and names it', async () => {
  await execute('7101', await withFunds('7101', { target: RECIPIENT, value: '1' }));
  const address = await fundedAccount('7101');
  const pool = databasePool(kit.suite.databaseUrl);
  const release = await holdSignedOperations(pool);
  try {
    const value = (FUNDS * 4n) / 10n;
    const pay = (lane: string, amount: bigint) =>
      submit('7101', { target: RECIPIENT, value: String(amount) }, { 'X-Nonce-Key': lane });
    expect(await pay('1', value)).toMatchObject({ status: 200 });
    // The operation before it in the lane leaves less than it sends.
    expect(await pay('1', (FUNDS * 7n) / 10n)).toMatchObject({
      status: 409,
      body: { error: { details: { code: 'account_funds_required' } } },
    });
    expect(await pay('2', value)).toMatchObject({ status: 200 });
    const { rows } = await pool.query<{ cost: string }>(
      `SELECT sum((call_gas_limit + verification_gas_limit + pre_verification_gas) * max_fee_per_gas)::text AS cost
       FROM account_kit.user_operations WHERE sender = $1 AND state = 'signed'`,
      [address],
    );
    const reserved = 2n * value + BigInt(rows[0]?.cost ?? 0);
    expect(await pay('3', value)).toMatchObject({
      status: 409,
      body: {
        error: {
          details: {
            code: 'account_funds_required',
            reservedWei: String(reserved),
          },
        },
      },
    });
    expect(await pay('3', 1n)).toMatchObject({ status: 200 });
  } finally {
    await release();
    await pool.end();
  }
});

it('submitUserOperation: is no 500, whatever a node answers to one of its methods', async () => {
  await execute('7102', await withFunds('7102', { target: RECIPIENT, value: '1' }));
  const methods = [
    'eth_call',
    'eth_simulateV1',
    'eth_getBlockByNumber',
    'eth_maxPriorityFeePerGas',
    'eth_gasPrice',
  ];
  const quantity = fc.bigInt({ min: 0n, max: 2n ** 300n }).map((number) => `0x${number.toString(16)}`);
  const call = fc.record(
    {
      status: fc.constantFrom('0x1', '0x0', 1),
      returnData: fc.oneof(quantity, fc.json()),
      gasUsed: fc.oneof(quantity, fc.constant(null)),
    },
    { requiredKeys: [] },
  );
  const answer = fc.oneof(
    fc.jsonValue().map((result) => JSON.stringify({ jsonrpc: '2.0', id: 1, result })),
    quantity.map((result) => JSON.stringify({ jsonrpc: '2.0', id: 1, result })),
    fc
      .array(fc.record({ calls: fc.array(call) }))
      .map((result) => JSON.stringify({ jsonrpc: '2.0', id: 1, result })),
    fc
      .record({ baseFeePerGas: quantity, gasLimit: quantity, number: quantity })
      .map((result) => JSON.stringify({ jsonrpc: '2.0', id: 1, result })),
    fc.constantFrom(
      '<html>Bad gateway</html>',
      '',
      'null',
      '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"x"}}',
    ),
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...methods), answer, async (method, text) => {
      rewriteAnswer = (request, real) => (request.method === method ? text : real);
      const { status, body } = await submit('7102', { target: RECIPIENT, value: '1' });
      expect({ status, body, method, text }).not.toMatchObject({ status: 500 });
    }),
    { numRuns: 150 },
  );
});
