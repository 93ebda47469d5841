import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { encodeHandleOps } from '../../apps/account-kit/src/evm/operations/user-operation.js';
import { ACCOUNT_CONTRACTS } from '../../apps/account-kit/src/evm/accounts/account-contracts.js';
import { forwardTo, HostileNode, reply } from '../support/hostile-node.js';
import { until } from '../support/until.js';
import { ExecutorWorld, pay, RECIPIENT } from './executor-world.js';

const CONFIRMATIONS = 12;
let world: ExecutorWorld;

beforeAll(async () => {
  world = await ExecutorWorld.start();
});

afterEach(async () => {
  await world.stopApps();
  await world.chain.client.setAutomine(true);
});

afterAll(() => world.stop());

const owners = (count: number) => Promise.all(Array.from({ length: count }, () => world.fundedOwner()));
const signAll = async (count: number) => Promise.all((await owners(count)).map((owner) => world.sign(owner)));
const distinct = (rows: readonly Record<string, unknown>[], column: string) => [
  ...new Set(rows.map((row) => row[column])),
];

describe('executors', () => {
  it('executors: send 25 operations of new accounts in one transaction, and finalize them at the confirmation depth', async () => {
    await world.sharedApp();
    const operations = await world.store(...(await signAll(25)));
    const included = await world.untilState('included', operations);
    expect(distinct(included, 'transaction_hash')).toHaveLength(1);
    expect(distinct(included, 'success')).toEqual([true]);
    const [row] = included;
    expect(row).toMatchObject({
      state_seq: 4, // after signed and submitted
      receipt: {
        receipt: { status: '0x1', transactionHash: row?.['transaction_hash'] },
        logs: expect.anything(),
      },
    });
    expect(BigInt(String(row?.['actual_gas_used']))).toBeGreaterThan(0n);
    await world.chain.client.mine({ blocks: CONFIRMATIONS - 2 });
    expect(distinct(await world.rows(operations.map(({ id }) => id)), 'state')).toEqual(['included']);
    await world.chain.client.mine({ blocks: 1 });
    await world.untilState('final', operations);
  });

  it('executors: leave out an operation that fails its simulation, and tell why', async () => {
    await world.sharedApp();
    const [poor, ...others] = await signAll(25);
    if (!poor) throw new Error('no operation');
    const unpaid = await world.sign(poor.owner, [pay(1n)], { maxFeePerGas: 10n ** 18n });
    const [failing, ...operations] = await world.store(unpaid, ...others);
    const included = await world.untilState('included', operations);
    expect(distinct(included, 'transaction_hash')).toHaveLength(1);
    const [row] = await world.rows([failing?.id ?? '']);
    expect(row).toMatchObject({ state: 'signed', reason: expect.stringMatching(/^AA21 /) });
    // The operation is executed as soon as its account can pay.
    await world.chain.setNativeBalance(poor.owner.address, 10n ** 30n);
    await world.untilState('included', failing ? [failing] : []);
  });

  it('executors: keep the order of a lane, also in one transaction', async () => {
    const owner = await world.fundedOwner();
    const signed = await Promise.all(
      [0n, 1n, 2n, 3n].map((sequence) => world.sign(owner, [pay(1n)], { sequence })),
    );
    const operations = await world.store(...signed);
    await world.sharedApp();
    const included = await world.untilState('included', operations);
    expect(distinct(included, 'success')).toEqual([true]);
  });

  it('executors: record an operation whose call reverts as reverted', async () => {
    await world.sharedApp();
    const owner = await world.fundedOwner();
    const [operation] = await world.store(await world.sign(owner, [pay(10n ** 20n)]));
    const [row] = await world.untilState('included', operation ? [operation] : []);
    expect(row).toMatchObject({ success: false, receipt: { receipt: { status: '0x1' } } });
    await world.chain.client.mine({ blocks: CONFIRMATIONS });
    await world.untilState('reverted', operation ? [operation] : []);
  });

  it('executors: send the same bytes again after a reorganisation', async () => {
    await world.sharedApp();
    const operations = await world.store(...(await signAll(2)));
    const [before] = await world.untilState('included', operations);
    await world.chain.client.setAutomine(false);
    await world.chain.client.request({ method: 'anvil_reorg', params: [1, []] } as never);
    await world.untilState('submitted', operations);
    await world.chain.client.setAutomine(true);
    await world.chain.client.mine({ blocks: 1 });
    const [after] = await world.untilState('included', operations);
    expect(after?.['transaction_hash']).toBe(before?.['transaction_hash']);
    expect(after?.['block_hash']).not.toBe(before?.['block_hash']);
  });

  it('executors: find an operation that a transaction of another sender carried', async () => {
    await world.chain.client.setAutomine(false);
    await world.sharedApp();
    const signed = await signAll(2);
    const operations = await world.store(...signed);
    await world.untilState('submitted', operations);
    const hash = await world.chain.client.sendTransaction({
      to: ACCOUNT_CONTRACTS['0.8'].entryPoint,
      data: encodeHandleOps(
        '0.8',
        signed.map(({ operation }) => operation),
        RECIPIENT,
      ),
      maxPriorityFeePerGas: 10n ** 12n,
      maxFeePerGas: 10n ** 14n,
      gas: 5_000_000n,
    });
    await world.chain.client.mine({ blocks: 1 });
    const included = await world.untilState('included', operations);
    expect(distinct(included, 'transaction_hash')).toEqual([hash]);
    await world.chain.client.mine({ blocks: CONFIRMATIONS });
    await world.untilState('final', operations);
  });

  it('executors: log why a node failed without the bundle that it was asked about', async () => {
    let isFailing = true;
    const failing = await HostileNode.start((request, response) => {
      // The node simulates no handleOps at all: otherwise the operation is what fails.
      const isAsked = request.method === 'eth_call' && JSON.stringify(request.params).includes('765e827f');
      if (!isFailing || !isAsked) return forwardTo(world.chain.rpcUrl)(request, response);
      reply(response, request.id, { error: { code: -32_603, message: `overloaded ${'x'.repeat(10_000)}` } });
      return undefined;
    });
    const app = await world.startApp({ [`RPC_URL_${world.chain.chainId}`]: failing.url });
    const data = `0x${'c0ffee'.repeat(1_000)}` as const;
    const call = { target: RECIPIENT, value: 1n, data } as const;
    const options = { callGasLimit: 500_000n };
    const operations = await world.store(await world.sign(await world.fundedOwner(), [call], options));
    const isLine = (line: string) => line.includes('executors failed') && line.includes('overloaded');
    await until('the failure is logged', () => app.logLines.some(isLine));
    expect(app.logLines.join('\n')).not.toContain('c0ffeec0ffee');
    expect(app.logLines.find(isLine)?.length).toBeLessThan(4_000);
    isFailing = false;
    await world.untilState('included', operations);
    await app.stop();
    await failing.stop();
  });

  it('executors: send what a killed instance has stored, with the same bytes', async () => {
    let hasStored = false;
    const silent = await HostileNode.start((request, response) => {
      if (request.method !== 'eth_sendRawTransaction')
        return forwardTo(world.chain.rpcUrl)(request, response);
      hasStored = true; // and never answers
      return undefined;
    });
    const app = await world.startApp({ [`RPC_URL_${world.chain.chainId}`]: silent.url });
    const operations = await world.store(...(await signAll(3)));
    await until('the first instance wanted to send', () => hasStored);
    await app.stop('SIGKILL');
    await silent.stop();
    const [{ hash } = { hash: '' }] = (
      await world.pool.query<{ hash: string }>(
        `SELECT v.hash FROM account_kit.executor_transaction_variants AS v
         JOIN account_kit.executor_transactions AS t ON t.id = v.transaction_id WHERE t.state = 'pending'`,
      )
    ).rows;
    await world.startApp();
    const included = await world.untilState('included', operations);
    expect(distinct(included, 'transaction_hash')).toEqual([hash]);
  });

  it('executors: share the work of a chain without a gap between nonces', async () => {
    const before = (await world.transactions()).length;
    const signed = await signAll(60);
    await Promise.all([world.startApp(), world.startApp()]);
    const operations = [];
    for (let from = 0; from < signed.length; from += 5)
      operations.push(...(await world.store(...signed.slice(from, from + 5))));
    await world.untilState('included', operations);
    const transactions = await world.transactions();
    expect(transactions.length).toBeGreaterThan(before);
    for (const executor of world.executors) {
      const nonces = transactions.filter((one) => one.executor === executor).map(({ nonce }) => nonce);
      expect(nonces).toEqual(nonces.map((_, index) => index));
    }
    const { rows } = await world.pool.query(
      'SELECT operation_id FROM account_kit.executor_transaction_operations GROUP BY operation_id HAVING count(*) > 1',
    );
    expect(rows).toEqual([]);
  });

  it('executors: raise the fees of a transaction that is not included, with the same nonce and operations', async () => {
    await world.chain.client.setAutomine(false);
    await world.startApp({ EXECUTOR_BUMP_BLOCKS: '2' });
    // Operations that pay for the spike.
    const fees = { maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 10n ** 10n };
    const signed = (await owners(2)).map((owner) => world.sign(owner, [pay(1n)], fees));
    const operations = await world.store(...(await Promise.all(signed)));
    await world.untilState('submitted', operations);
    const count = (await world.transactions()).length;
    const dear = async () => {
      await world.chain.client.setNextBlockBaseFeePerGas({ baseFeePerGas: 10n ** 11n });
      await world.chain.client.mine({ blocks: 1 });
    };
    await dear();
    await dear();
    const isPending = ({ state }: { state: string }) => state === 'pending';
    await until('there is a second variant', async () => {
      const pending = (await world.transactions()).filter(isPending);
      return pending.length === 1 && (pending[0]?.variants ?? 0) > 1;
    });
    await world.chain.client.setAutomine(true);
    await until('it is mined', async () => {
      await world.chain.client.mine({ blocks: 1 });
      return (await world.transactions()).filter(isPending).length === 0;
    });
    const included = await world.untilState('included', operations);
    expect(distinct(included, 'transaction_hash')).toHaveLength(1);
    expect(await world.transactions()).toHaveLength(count);
  });
});
