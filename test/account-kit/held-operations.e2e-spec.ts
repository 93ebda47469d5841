import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { ACCOUNT_CONTRACTS } from '../../apps/account-kit/src/evm/accounts/account-contracts.js';
import {
  encodeHandleOps,
  type SignedUserOperation,
} from '../../apps/account-kit/src/evm/operations/user-operation.js';
import { until } from '../support/until.js';
import { ExecutorWorld, pay, RECIPIENT, type StoredOperation } from './executor-world.js';

const GWEI = 10n ** 9n;
const CONFIRMATIONS = 12;
/** Fees below those of any block of the local chain. */
const CHEAP = { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n };
const FREE = { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n };
const FEES = { maxFeePerGas: 20n * GWEI, maxPriorityFeePerGas: 2n * GWEI };
let world: ExecutorWorld;

beforeAll(async () => {
  world = await ExecutorWorld.start();
  // The contracts are there at the confirmation depth, too.
  await world.chain.client.mine({ blocks: CONFIRMATIONS });
});

afterEach(async () => {
  await world.stopApps();
  await world.chain.client.setAutomine(true);
  await world.chain.client.mine({ blocks: 1 });
  for (const executor of world.executors) await world.chain.setNativeBalance(executor, 10n ** 20n);
});

afterAll(() => world.stop());

type Signed = Awaited<ReturnType<ExecutorWorld['sign']>>;

async function storeOne(signed: Signed): Promise<StoredOperation> {
  const [stored] = await world.store(signed);
  if (!stored) throw new Error('nothing was stored');
  return stored;
}

const funded = async (fees = FEES): Promise<Signed> => world.sign(await world.fundedOwner(), [pay(1n)], fees);

/** Executes an operation without account-kit. */
async function executeElsewhere(operation: SignedUserOperation): Promise<void> {
  const hash = await world.chain.client.sendTransaction({
    to: ACCOUNT_CONTRACTS['0.8'].entryPoint,
    data: encodeHandleOps('0.8', [operation], RECIPIENT),
  });
  await world.chain.client.waitForTransactionReceipt({ hash });
}

const untilReason = (
  column: 'reason' | 'hold_reason',
  start: string,
  operations: readonly StoredOperation[],
) =>
  until(`the ${column} of ${operations.length} operations begins with ${start}`, async () => {
    const rows = await world.rows(operations.map(({ id }) => id));
    return rows.every((row) => String(row[column]).startsWith(start));
  });

/** Makes an operation the last one of its tenant in every list that is ordered by ids. */
async function moveBehindOthers(signed: Signed, id: string): Promise<StoredOperation> {
  const stored = await storeOne(signed);
  await world.pool.query(
    `UPDATE account_kit.user_operations SET id = $2, client_id = 'another' WHERE id = $1`,
    [stored.id, id],
  );
  return { ...stored, id };
}

it('executors: operations that wait for lower fees hide no dead operation of another tenant, and no account that somebody else deployed', async () => {
  const cheap = await world.store(
    ...(await Promise.all(
      Array.from({ length: 120 }, () => world.sign(world.createOwner(), [pay(1n)], CHEAP)),
    )),
  );
  await world.startApp();
  await untilReason('hold_reason', 'fee too low', cheap);
  const [poor, deployed] = [world.createOwner(), world.createOwner()];
  const dead = await moveBehindOthers(
    await world.sign(poor, [pay(0n)], FEES),
    'ffffffff-ffff-4fff-bfff-fffffffffffe',
  );
  const lost = await moveBehindOthers(
    await world.sign(deployed, [pay(0n)], FEES),
    'ffffffff-ffff-4fff-bfff-ffffffffffff',
  );
  await untilReason('reason', 'AA21', [dead, lost]);
  await executeElsewhere((await world.sign(poor, [pay(0n)], FREE)).operation);
  await executeElsewhere((await world.sign(deployed, [pay(0n)], { ...FREE, key: 5n })).operation);
  // Each list is read once for each block, and no block follows these.
  await world.chain.client.mine({ blocks: CONFIRMATIONS });
  await world.untilState('rejected', [dead]);
  await until('the account that was deployed elsewhere gets a cancellation', async () => {
    const { rows } = await world.pool.query(
      `SELECT FROM account_kit.user_operations WHERE kind = 'cancellation' AND sender = $1`,
      [deployed.address],
    );
    return rows.length > 0;
  });
  const ids = cheap.map(({ id }) => id);
  await world.pool.query('DELETE FROM account_kit.user_operations WHERE id = ANY($1::uuid[])', [ids]);
});

it('executors: operations that waited for the coins of an executor are sent as others are, and not 20 at a time', async () => {
  const [executor = RECIPIENT] = world.executors;
  await world.chain.setNativeBalance(executor, 1n);
  const waiting = await world.store(...(await Promise.all(Array.from({ length: 25 }, () => funded()))));
  await world.startApp({ EXECUTOR_KEYS: world.executorKeys[0] ?? '' });
  await untilReason('hold_reason', 'executor without coins', waiting);
  await world.chain.setNativeBalance(executor, 10n ** 20n);
  await world.untilState('included', waiting);
  const { rows } = await world.pool.query(
    `SELECT DISTINCT transaction_id FROM account_kit.executor_transaction_operations WHERE operation_id = ANY($1::uuid[])`,
    [waiting.map(({ id }) => id)],
  );
  expect(rows).toHaveLength(1);
});

/** What the gas of transactions may cost at most. */
async function toBalance(gas: bigint): Promise<bigint> {
  const { client } = world.chain;
  const { baseFeePerGas } = await client.getBlock();
  return gas * (2n * (baseFeePerGas ?? 0n) + (await client.estimateMaxPriorityFeePerGas()));
}

async function renew({ id }: StoredOperation): Promise<void> {
  await world.pool.query(
    `UPDATE account_kit.user_operations SET next_attempt_at = now() WHERE id = $1 AND state = 'signed'`,
    [id],
  );
}

it('executors: an operation that costs more than the only executor has delays no operation of another tenant, however often it comes', async () => {
  const [executor = RECIPIENT] = world.executors;
  await world.chain.setNativeBalance(executor, await toBalance(5_000_000n));
  const dear = await storeOne(
    await world.sign(await world.fundedOwner(), [pay(1n)], { ...FEES, callGasLimit: 9_000_000n }),
  );
  await world.startApp({ EXECUTOR_KEYS: world.executorKeys[0] ?? '' });
  await untilReason('hold_reason', 'executor without coins', [dear]);
  for (let count = 0; count < 3; count += 1) {
    await renew(dear);
    const victim = await storeOne(await funded());
    await world.untilState('included', [victim]);
    expect((await world.rows([dear.id]))[0]).toMatchObject({ state: 'signed' });
  }
  await world.chain.setNativeBalance(executor, 10n ** 20n);
  await renew(dear);
  await world.untilState('included', [dear]);
});

it('executors: an executor with few coins sends what it can pay for beside what is in flight, and the rest when that is mined', async () => {
  const [executor = RECIPIENT] = world.executors;
  await world.startApp({ EXECUTOR_KEYS: world.executorKeys[0] ?? '' });
  await world.chain.client.setAutomine(false);
  // A transaction with it has 1.5 million gas, and one with the victim half a million.
  const large = { ...FEES, callGasLimit: 1_000_000n };
  await world.chain.setNativeBalance(executor, await toBalance(2_400_000n));
  const first = await storeOne(await world.sign(await world.fundedOwner(), [pay(1n)], large));
  await world.untilState('submitted', [first]);
  const second = await storeOne(await world.sign(await world.fundedOwner(), [pay(1n)], large));
  await untilReason('hold_reason', 'executor without coins', [second]);
  const victim = await storeOne(await funded());
  await world.untilState('submitted', [victim]);
  expect((await world.rows([second.id]))[0]).toMatchObject({ state: 'signed' });
  await world.chain.client.setAutomine(true);
  await world.chain.client.mine({ blocks: 1 });
  await world.untilState('included', [first, victim, second]);
});
