import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Address, decodeFunctionData, encodeFunctionData, type Hex, padHex } from 'viem';
import { entryPoint08Abi } from 'viem/account-abstraction';
import { ACCOUNT_CONTRACTS } from '../../apps/account-kit/src/evm/accounts/account-contracts.js';
import { ExecutorWorld, type StoredOperation } from '../account-kit/executor-world.js';
import { until } from '../support/until.js';

const CONFIRMATIONS = 12;
let world: ExecutorWorld;
let recipients = 0;

beforeAll(async () => {
  world = await ExecutorWorld.start();
});

afterEach(async () => {
  await world.stopApps();
  await world.chain.client.setAutomine(true);
});

afterAll(() => world.stop());

const client = () => world.chain.client;
const newRecipient = (): Address => padHex(`0xfeed${String(++recipients).padStart(4, '0')}`, { size: 20 });
const pay = (target: Address) => [{ target, value: 1n, data: '0x' as const }];

/** @param transactions raw ones that are in the new blocks, by their index */
const reorganise = (depth: number, transactions: readonly (readonly [Hex, number])[] = []) =>
  client().request({ method: 'anvil_reorg', params: [depth, transactions] } as never);

const dropTransactions = () => client().request({ method: 'anvil_dropAllTransactions' } as never);

/** Two operations of a new account and one of another one, in one transaction. */
async function storePayments(recipient: Address): Promise<StoredOperation[]> {
  const [first, second] = [await world.fundedOwner(), await world.fundedOwner()];
  // The funds are in a block that no test removes.
  await client().mine({ blocks: 2 });
  return world.store(
    await world.sign(first, pay(recipient)),
    await world.sign(first, pay(recipient), { sequence: 1n }),
    await world.sign(second, pay(recipient)),
  );
}

async function loadRaw(hash: unknown): Promise<Hex> {
  const { rows } = await world.pool.query<{ raw: string }>(
    "SELECT encode(raw, 'hex') AS raw FROM account_kit.executor_transaction_variants WHERE hash = $1",
    [hash],
  );
  return `0x${rows[0]?.raw ?? ''}`;
}

/** What does not depend on fees. */
async function loadSent(row: Record<string, unknown> | undefined) {
  const hash = row?.['transaction_hash'] as Hex;
  const { from, nonce, to, input } = await client().getTransaction({ hash });
  return { from, nonce, to, input };
}

/** Each row is what the chain says. */
async function expectExecuted(rows: readonly Record<string, unknown>[]): Promise<void> {
  for (const row of rows) {
    const receipt = await client().getTransactionReceipt({ hash: row['transaction_hash'] as Hex });
    expect(row).toMatchObject({
      success: true,
      block_hash: receipt.blockHash,
      block_number: String(receipt.blockNumber),
      receipt: { receipt: { blockHash: receipt.blockHash, blockNumber: String(receipt.blockNumber) } },
    });
  }
}

/** Waits until the operations are in another block than the row says. */
async function untilElsewhere(
  operations: readonly StoredOperation[],
  row: Record<string, unknown> | undefined,
) {
  const load = () => world.rows(operations.map(({ id }) => id));
  await until('the operations are found in another block', async () =>
    (await load()).every(({ block_hash: block }) => block !== null && block !== row?.['block_hash']),
  );
  return load();
}

/** Included at `depth` blocks and not final yet, which the tracker has seen when it knows an operation of the same block. */
async function expectFinalAtDepth(operations: readonly StoredOperation[]): Promise<void> {
  const [row] = await world.rows(operations.map(({ id }) => id));
  const block = BigInt(String(row?.['block_number']));
  const depth = Number((await client().getBlockNumber()) - block) + 1;
  await client().mine({ blocks: CONFIRMATIONS - 2 - depth });
  const later = await world.store(await world.sign(await world.fundedOwner(), pay(newRecipient())));
  await world.untilState('included', later);
  expect(Number((await client().getBlockNumber()) - block) + 1).toBe(CONFIRMATIONS - 1);
  await world.untilState('included', operations);
  await client().mine({ blocks: 1 });
  await world.untilState('final', operations);
}

describe('a reorganisation', () => {
  it.each([1, 12])(
    'T141: of %i blocks, after which a node has forgotten a transaction: it is sent again as the same bytes',
    async (depth) => {
      await world.startApp();
      const recipient = newRecipient();
      const operations = await storePayments(recipient);
      const before = await world.untilState('included', operations);
      const sent = await loadSent(before[0]);
      await client().mine({ blocks: Math.max(0, CONFIRMATIONS - 2 - (12 - depth)) });
      await world.untilState('included', operations);

      await client().setAutomine(false);
      await reorganise(depth);
      await dropTransactions();
      expect(await client().getBalance({ address: recipient })).toBe(0n);
      const lost = await world.untilState('submitted', operations);
      expect(lost).toMatchObject(lost.map(() => ({ success: null, block_hash: null, receipt: null })));
      await dropTransactions();
      await client().setAutomine(true);
      await client().mine({ blocks: 1 });

      const after = await world.untilState('included', operations);
      // The transaction is the same, or has higher fees if blocks have passed since.
      expect(await loadSent(after[0])).toEqual(sent);
      expect(after[0]?.['block_hash']).not.toBe(before[0]?.['block_hash']);
      await expectExecuted(after);
      await expectFinalAtDepth(operations);
      expect(await client().getBalance({ address: recipient })).toBe(3n);
    },
  );

  it('T142: that moves a transaction to another block: its operations are found there, and final at its depth', async () => {
    await world.startApp();
    const recipient = newRecipient();
    const operations = await storePayments(recipient);
    const [before] = await world.untilState('included', operations);
    await client().mine({ blocks: 4 });
    await reorganise(5, [[await loadRaw(before?.['transaction_hash']), 2]]);
    const after = await untilElsewhere(operations, before);
    expect(after[0]).toMatchObject({
      transaction_hash: before?.['transaction_hash'],
      block_number: String(BigInt(String(before?.['block_number'])) + 2n),
    });
    await expectExecuted(after);
    await expectFinalAtDepth(operations);
    expect(await client().getBalance({ address: recipient })).toBe(3n);
  });

  it('T143: in which another sender was first with one operation of a transaction: the others are sent again', async () => {
    await world.startApp();
    const recipient = newRecipient();
    const operations = await storePayments(recipient);
    const [before] = await world.untilState('included', operations);
    const raw = await loadRaw(before?.['transaction_hash']);
    const { input } = await client().getTransaction({ hash: before?.['transaction_hash'] as Hex });
    const { args } = decodeFunctionData({ abi: entryPoint08Abi, data: input });
    const [packed] = args as unknown as [readonly [never]];
    const { account, chain } = client();
    const other = await client().signTransaction({
      account,
      chain,
      to: ACCOUNT_CONTRACTS['0.8'].entryPoint,
      data: encodeFunctionData({
        abi: entryPoint08Abi,
        functionName: 'handleOps',
        args: [packed.slice(0, 1), account.address],
      }),
      nonce: await client().getTransactionCount(account),
      gas: 3_000_000n,
      maxFeePerGas: 10n ** 12n,
      maxPriorityFeePerGas: 10n ** 9n,
    });

    await reorganise(1, [
      [other, 0],
      [raw, 0],
    ]);
    await client().mine({ blocks: CONFIRMATIONS });
    const after = await untilElsewhere(operations.slice(1), before);
    expect(after[0]?.['transaction_hash']).not.toBe(before?.['transaction_hash']);
    await expectExecuted(after);
    await client().mine({ blocks: CONFIRMATIONS });
    await world.untilState('final', operations);
    expect(await client().getBalance({ address: recipient })).toBe(3n);
  });
});
