import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { bytesToHex, type Hex, isAddressEqual } from 'viem';
import { estimatePreVerificationGas } from '../../apps/account-kit/src/evm/estimation/estimate-pre-verification-gas.js';
import { encodeCreateAccount } from '../../apps/account-kit/src/evm/accounts/account-address.js';
import { encodeExecute } from '../../apps/account-kit/src/evm/operations/encode-execute.js';
import { parseUserOperationEvents } from '../../apps/account-kit/src/evm/operations/parse-user-operation-events.js';
import { ExecutorWorld, RECIPIENT, type StoredOperation } from '../account-kit/executor-world.js';
import type { SmartAccountOwner } from '../account-kit/smart-account-owner.js';
import { faultSeed, seededRandom } from '../support/seeded-random.js';
import { until } from '../support/until.js';

jest.setTimeout(300_000);

const SEED = faultSeed();
const ETHER = 10n ** 18n;
/** Fees are drawn in thousandths of a gwei. */
const MILLIGWEI = 10n ** 6n;
const OPERATIONS = 500;
const ACCOUNTS = 40;
const ROUNDS = 10;
const BLOCKS_OF_ROUND = 4;
/** Every operation pays for a block with this base fee. */
const LOW_BASE_FEE = 200n * MILLIGWEI;
/** The reasons of operations that wait for lower fees begin so. */
const WAITS_FOR_FEES = 'fee too low%';

let world: ExecutorWorld;

beforeAll(async () => {
  world = await ExecutorWorld.start();
});

afterAll(() => world.stop());

const random = seededRandom(SEED);
const integer = (min: number, max: number): number => min + Math.floor(random() * (max - min + 1));
const milligwei = (min: number, max: number): bigint => BigInt(integer(min, max)) * MILLIGWEI;

function randomCallData(): Hex {
  const length = random() < 0.1 ? integer(0, 12_000) : integer(0, 800);
  const zeroShare = random();
  return bytesToHex(Uint8Array.from({ length }, () => (random() < zeroShare ? 0 : integer(1, 255))));
}

/** A third of the operations pays far less than most blocks cost, a third far more. anvil suggests a tip of 1 gwei. */
function randomFees() {
  const maxPriorityFeePerGas = milligwei(300, 3_000);
  const [min, max] = (
    [
      [300, 2_000],
      [2_000, 40_000],
      [60_000, 200_000],
    ] as const
  )[integer(0, 2)] ?? [0, 0];
  return { maxPriorityFeePerGas, maxFeePerGas: milligwei(min, max) + maxPriorityFeePerGas };
}

/** Signs with the gas that account-kit signs for such a call. @param data for an account without code */
function sign(
  owner: SmartAccountOwner,
  data: Hex,
  position: { key: bigint; sequence: bigint; deploys: boolean },
) {
  const { version, ownerAddress } = owner;
  const calls = [{ target: RECIPIENT, value: 1n, data } as const];
  const { factory, factoryData } = encodeCreateAccount({ owner: ownerAddress, salt: 0n, version });
  const dynamic = [encodeExecute(version, calls), ...(position.deploys ? [factory, factoryData] : [])];
  return world.sign(owner, calls, {
    ...position,
    ...randomFees(),
    // Memory for the call data costs execution gas, too.
    callGasLimit: 70_000n + BigInt(data.length),
    verificationGasLimit: position.deploys ? 350_000n : 100_000n,
    preVerificationGas: estimatePreVerificationGas(version, dynamic),
  });
}

async function mineAt(baseFeePerGas: bigint): Promise<void> {
  await world.chain.client.setNextBlockBaseFeePerGas({ baseFeePerGas });
  await world.chain.client.mine({ blocks: 1 });
}

/** Blocks are cheap until every operation is executed, and none waits for the end of its pause. */
async function executeAll(operations: readonly StoredOperation[]): Promise<void> {
  const ids = operations.map(({ id }) => id);
  const isExecuted = async () => {
    await world.pool.query(
      "UPDATE account_kit.user_operations SET next_attempt_at = now() WHERE state = 'signed' AND hold_reason LIKE $1",
      [WAITS_FOR_FEES],
    );
    await mineAt(LOW_BASE_FEE);
    return (await world.rows(ids)).every(({ state }) => state === 'included' || state === 'final');
  };
  await until(`${ids.length} operations are executed`, isExecuted, 100_000).catch(async (cause: unknown) => {
    const found = (await world.rows(ids)).map(
      ({ state, hold_reason: reason }) => `${String(state)} ${String(reason)}`,
    );
    throw new Error([`FAULT_SEED=${SEED}`, ...new Set(found)].join('\n'), { cause });
  });
}

/** What each mined transaction of an executor has cost it, and what its operations have paid it. */
async function loadTransactions(firstBlock: bigint) {
  const { client } = world.chain;
  const lastBlock = await client.getBlockNumber();
  const transactions: { hash: Hex; status: string; operations: number; paid: bigint; cost: bigint }[] = [];
  for (let blockNumber = firstBlock; blockNumber <= lastBlock; blockNumber += 1n) {
    const block = await client.getBlock({ blockNumber, includeTransactions: true });
    for (const { hash, from, to } of block.transactions) {
      if (to === null || !world.executors.some((executor) => isAddressEqual(executor, from))) continue;
      const { logs, status, gasUsed, effectiveGasPrice } = await client.getTransactionReceipt({ hash });
      const events = parseUserOperationEvents(to, logs);
      const paid = events.reduce((sum, { actualGasCost }) => sum + actualGasCost, 0n);
      transactions.push({ hash, status, operations: events.length, paid, cost: gasUsed * effectiveGasPrice });
    }
  }
  return transactions;
}

async function executorBalance(): Promise<bigint> {
  const balances = world.executors.map((address) => world.chain.client.getBalance({ address }));
  return (await Promise.all(balances)).reduce((sum, balance) => sum + balance, 0n);
}

async function countWaitingForFees(): Promise<number> {
  const { rows } = await world.pool.query<{ count: number }>(
    "SELECT count(*)::int FROM account_kit.user_operations WHERE state = 'signed' AND hold_reason LIKE $1",
    [WAITS_FOR_FEES],
  );
  return rows[0]?.count ?? 0;
}

it(`executors: lose in no transaction more than 1 % of what its operations pay, at any fees, base fees and call data (FAULT_SEED=${SEED})`, async () => {
  const { client } = world.chain;
  for (const executor of world.executors) await world.chain.setNativeBalance(executor, 1_000n * ETHER);
  const owners = Array.from({ length: ACCOUNTS }, (_, index) => world.createOwner(index % 2 ? '0.7' : '0.8'));
  for (const { address } of owners) await world.chain.setNativeBalance(address, 100n * ETHER);
  const firstBlock = (await client.getBlockNumber()) + 1n;
  const before = await executorBalance();
  await world.startApp({ EXECUTOR_BUMP_BLOCKS: '1' });
  await client.setAutomine(false);

  const first = { key: 0n, sequence: 0n, deploys: true };
  const operations = await world.store(
    ...(await Promise.all(owners.map((owner) => sign(owner, randomCallData(), first)))),
  );
  await executeAll(operations);

  const sequences = new Map(owners.map((owner) => [owner, 1n]));
  let waiting = 0;
  for (let round = 1; round <= ROUNDS; round += 1) {
    const signed = [];
    while (operations.length + signed.length < ACCOUNTS + (round * (OPERATIONS - ACCOUNTS)) / ROUNDS) {
      const owner = owners[integer(0, ACCOUNTS - 1)];
      if (!owner) throw new RangeError('no owner');
      const sequence = sequences.get(owner) ?? 0n;
      const isInOrder = random() < 0.3;
      const lane = BigInt(operations.length + signed.length);
      if (isInOrder) sequences.set(owner, sequence + 1n);
      const position = isInOrder ? { key: 0n, sequence } : { key: lane, sequence: 0n };
      signed.push(await sign(owner, randomCallData(), { ...position, deploys: false }));
    }
    operations.push(...(await world.store(...signed)));
    for (let block = 0; block < BLOCKS_OF_ROUND; block += 1) {
      await sleep(integer(0, 500));
      await mineAt(random() < 0.5 ? milligwei(200, 5_000) : milligwei(5_000, 150_000));
    }
    waiting = Math.max(waiting, await countWaitingForFees());
  }
  await executeAll(operations);

  const transactions = await loadTransactions(firstBlock);
  const sum = (of: 'paid' | 'cost') => transactions.reduce((total, one) => total + one[of], 0n);
  const { rows } = await world.pool.query<{ bumps: number }>(
    'SELECT count(*)::int AS bumps FROM account_kit.executor_transaction_variants WHERE number > 1',
  );
  const gains = transactions.map(({ paid, cost }) => Number(((paid - cost) * 1_000n) / paid));
  process.stdout.write(
    `account-kit-cost: ${transactions.length} transactions, ${rows[0]?.bumps} bumps, up to ${waiting} operations waited, gains of ${Math.min(...gains)} to ${Math.max(...gains)} per mille\n`,
  );
  expect(transactions.reduce((total, one) => total + one.operations, 0)).toBe(OPERATIONS);
  expect((await executorBalance()) - before).toBe(sum('paid') - sum('cost'));
  expect(transactions.filter(({ paid, cost }) => (cost - paid) * 100n > paid)).toEqual([]);
  // A run in which nothing is too cheap proves little.
  expect(waiting).toBeGreaterThan(0);
});
