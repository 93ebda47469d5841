import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Hex } from 'viem';
import { entryPoint08Abi } from 'viem/account-abstraction';
import { concatHex, encodeFunctionData, numberToHex, padHex } from 'viem/utils';
import { ACCOUNT_CONTRACTS } from '../../apps/account-kit/src/evm/accounts/account-contracts.js';
import { decodeFailedOp } from '../../apps/account-kit/src/evm/operations/decode-failed-op.js';
import { HostileNode, reply } from '../support/hostile-node.js';
import { until } from '../support/until.js';
import { ExecutorWorld, pay, RECIPIENT, type StoredOperation } from './executor-world.js';

const CONFIRMATIONS = 12;
const GWEI = 10n ** 9n;
const FEES = { maxFeePerGas: 3n * GWEI, maxPriorityFeePerGas: GWEI, preVerificationGas: 60_000n };

type RpcOperation = Readonly<Record<string, Hex | undefined>>;

let world: ExecutorWorld;
let node: HostileNode;
let bundler: StrictBundler;

/** Accepts what ERC-7769 and alto accept, and executes what it holds when it is told to. */
class StrictBundler {
  readonly received: RpcOperation[] = [];
  readonly held = new Map<string, RpcOperation>();
  isBundling = true;
  /** What comes from the service is refused for a reason that is none of the operation's. */
  isOverloaded = false;

  async add(operation: RpcOperation): Promise<void> {
    this.received.push(operation);
    const key = `${operation['sender']} ${operation['nonce']}`;
    const known = this.held.get(key);
    const fee = BigInt(operation['maxFeePerGas'] ?? '0x0');
    const priorityFee = BigInt(operation['maxPriorityFeePerGas'] ?? '0x0');
    if (known?.['signature'] === operation['signature']) throw refusal(-32_602, 'Already known');
    if (fee === 0n || priorityFee === 0n)
      throw refusal(-32_602, 'maxFeePerGas must be at least 1 (current maxFeePerGas: 0)');
    if (BigInt(operation['preVerificationGas'] ?? '0x0') < 45_000n)
      throw refusal(-32_500, 'preVerificationGas is not enough');
    await this.simulate(operation);
    if (known) {
      const isDearer = (name: string, value: bigint) => value * 100n >= BigInt(known[name] ?? '0x0') * 110n;
      if (!isDearer('maxFeePerGas', fee) || !isDearer('maxPriorityFeePerGas', priorityFee))
        throw refusal(
          -32_602,
          'AA25 invalid account nonce: User operation already present in mempool, bump the gas price by minimum 10%',
        );
    }
    this.held.set(key, operation);
    if (this.isBundling) await this.bundle();
  }

  async bundle(): Promise<void> {
    for (const [key, operation] of this.held) {
      this.held.delete(key);
      const hash = await world.chain.client.sendTransaction({ to: entryPoint, data: toHandleOps(operation) });
      await world.chain.client.waitForTransactionReceipt({ hash });
    }
  }

  private async simulate(operation: RpcOperation): Promise<void> {
    try {
      await world.chain.client.call({ to: entryPoint, data: toHandleOps(operation), gas: 10_000_000n });
    } catch (error) {
      throw refusal(
        -32_500,
        `UserOperation reverted with reason: ${decodeFailedOp(error)?.reason ?? 'unknown'}`,
      );
    }
  }
}

const { entryPoint } = ACCOUNT_CONTRACTS['0.8'];
const refusal = (code: number, message: string) => Object.assign(new Error(message), { code });

function toHandleOps(operation: RpcOperation): Hex {
  const field = (name: string) => operation[name] ?? '0x';
  const words = (high: string, low: string): Hex =>
    concatHex([padHex(field(high), { size: 16 }), padHex(field(low), { size: 16 })]);
  const packed = {
    sender: field('sender'),
    nonce: BigInt(field('nonce')),
    initCode: operation['factory']
      ? concatHex([operation['factory'], field('factoryData')])
      : ('0x' as const),
    callData: field('callData'),
    accountGasLimits: words('verificationGasLimit', 'callGasLimit'),
    preVerificationGas: BigInt(field('preVerificationGas')),
    gasFees: words('maxPriorityFeePerGas', 'maxFeePerGas'),
    paymasterAndData: '0x' as const,
    signature: field('signature'),
  };
  return encodeFunctionData({ abi: entryPoint08Abi, functionName: 'handleOps', args: [[packed], RECIPIENT] });
}

beforeAll(async () => {
  world = await ExecutorWorld.start();
  bundler = new StrictBundler();
  node = await HostileNode.start(async ({ id, method, params }, response) => {
    try {
      if (method !== 'eth_sendUserOperation') throw refusal(-32_601, 'Method not found');
      if (bundler.isOverloaded) throw refusal(-32_602, 'too many operations');
      await bundler.add((params as [RpcOperation])[0]);
      reply(response, id, { result: numberToHex(bundler.received.length, { size: 32 }) });
    } catch (error) {
      const { code = -32_603, message } = error as { code?: number; message: string };
      reply(response, id, { error: { code, message } });
    }
  });
  await world.startApp({ [`BUNDLER_URL_${world.chain.chainId}`]: node.url });
});

afterEach(() => {
  bundler.isBundling = true;
  bundler.received.splice(0);
  bundler.held.clear();
});

afterAll(async () => {
  await world.stop();
  await node.stop();
});

async function storeOne(...given: Parameters<ExecutorWorld['sign']>): Promise<StoredOperation> {
  const [owner, calls, options] = given;
  const [operation] = await world.store(await world.sign(owner, calls, { ...FEES, ...options }));
  if (!operation) throw new Error('nothing was stored');
  return operation;
}

async function untilRefused({ id }: StoredOperation, reason: string): Promise<void> {
  await until(`the bundler has refused it: ${reason}`, async () => {
    const [row] = await world.rows([id]);
    return String(row?.['reason']).includes(reason);
  });
  expect((await world.rows([id]))[0]).toMatchObject({ state: 'submitted' });
}

/** Mines until the operation is rejected. @returns the cancellations at its nonce */
async function untilRejected(operation: StoredOperation, reason: string): Promise<Record<string, unknown>[]> {
  await until('the operation is rejected', async () => {
    await world.chain.client.mine({ blocks: 1 });
    return (await world.rows([operation.id]))[0]?.['state'] === 'rejected';
  });
  expect((await world.rows([operation.id]))[0]).toMatchObject({ reason, success: null });
  return cancellationsOf(operation);
}

async function cancellationsOf({ owner }: StoredOperation): Promise<Record<string, unknown>[]> {
  const { rows } = await world.pool.query<Record<string, unknown>>(
    `SELECT nonce_sequence::int AS sequence, deploys_account AS deploys, state, max_fee_per_gas AS fee
     FROM account_kit.user_operations WHERE sender = $1 AND kind = 'cancellation' ORDER BY cancellation_number`,
    [owner.address],
  );
  return rows;
}

const setSubmission = ({ id }: StoredOperation, set: string) =>
  world.pool.query(`UPDATE account_kit.bundler_submissions SET ${set} WHERE operation_id = $1`, [id]);

it('LaneGapTracker: takes the nonce of an expired operation with an operation that a bundler accepts, and sends nothing of the lane before', async () => {
  const owner = await world.fundedOwner();
  const validUntil = new Date(Date.now() + 60_000);
  const dead = await world.sign(owner, [pay(1n)], { ...FEES, validUntil });
  const next = await world.sign(owner, [pay(2n)], { ...FEES, sequence: 1n });
  const [expiring, later] = await world.store(dead, next);
  if (!expiring || !later) throw new Error('nothing was stored');
  await world.untilState('included', [await storeOne(await world.fundedOwner())]);
  expect(bundler.received.filter(({ sender }) => sender === owner.address)).toEqual([]);
  await world.pool.query(
    `UPDATE account_kit.user_operations SET valid_until = now() - interval '1 hour' WHERE id = $1`,
    [expiring.id],
  );
  const received = await world.chain.client.getBalance({ address: RECIPIENT });
  await world.chain.client.mine({ blocks: CONFIRMATIONS });
  await world.untilState('expired', [expiring]);
  await world.untilState('included', [later]);
  expect(await cancellationsOf(expiring)).toMatchObject([{ sequence: 0, deploys: true, state: 'included' }]);
  expect(await world.chain.client.getBalance({ address: RECIPIENT })).toBeGreaterThan(received);
  const payments = bundler.received.filter(
    ({ sender, callData }) => sender === owner.address && callData !== '0x',
  );
  expect(new Set(payments.map(({ nonce }) => Number(nonce)))).toEqual(new Set([1]));
});

it('LaneRepairTracker: cancels a first operation whose account somebody else has deployed, without deploying it again', async () => {
  const owner = await world.fundedOwner();
  bundler.isOverloaded = true;
  const operation = await storeOne(owner);
  await untilRefused(operation, 'too many');
  // Version 0.8's factory lets only the EntryPoint's SenderCreator deploy, so the stranger goes through the EntryPoint.
  const stranger = await owner.sign([pay(0n)], { key: 7n, sequence: 0n, deploys: true, ...FEES });
  await bundler.add(toRpc(stranger.operation));
  bundler.isOverloaded = false;
  await world.untilState('submitted', [operation]);
  const cancellations = await untilRejected(
    operation,
    'cancelled: another transaction has deployed the account',
  );
  expect(cancellations.at(-1)).toMatchObject({ sequence: 0, deploys: false, state: 'final' });
});

it('LaneRepairTracker: replaces an operation that its bundler holds for an hour, at a price at which the bundler replaces it', async () => {
  bundler.isBundling = false;
  const operation = await storeOne(await world.fundedOwner());
  await until('the bundler holds it', () => Promise.resolve(bundler.held.size === 1));
  await setSubmission(operation, `submitted_at = now() - interval '61 minutes'`);
  await world.chain.client.mine({ blocks: 1 });
  await until('the bundler holds its cancellation', () =>
    Promise.resolve([...bundler.held.values()].every(({ callData }) => callData === '0x')),
  );
  await bundler.bundle();
  const cancellations = await untilRejected(operation, 'cancelled: it was in no block for an hour');
  expect(cancellations).toMatchObject([
    { sequence: 0, deploys: true, fee: String((FEES.maxFeePerGas * 112n) / 100n) },
  ]);
});

/** Waits until the day of an operation that a bundler holds has ended, and nothing tries it any more. */
async function lapseHeld(operation: StoredOperation): Promise<void> {
  await until('the bundler holds it', () => Promise.resolve(bundler.held.size === 1));
  await world.pool.query(
    `UPDATE account_kit.user_operations SET accepted_at = accepted_at - interval '25 hours' WHERE id = $1`,
    [operation.id],
  );
  expect(await world.untilState('stuck', [operation])).toMatchObject([{ reason: 'lapsed' }]);
  await setSubmission(operation, 'next_attempt_at = now()');
  await world.chain.client.mine({ blocks: 1 });
}

it('OperationQueue: gives up an operation that a bundler has held for a day, and finds it if the bundler executes it then', async () => {
  bundler.isBundling = false;
  const operation = await storeOne(await world.fundedOwner());
  await lapseHeld(operation);
  bundler.isBundling = true;
  await world.untilState('included', [await storeOne(await world.fundedOwner())]);
  expect(bundler.received.filter(({ sender }) => sender === operation.owner.address)).toHaveLength(1);
  await world.chain.client.mine({ blocks: CONFIRMATIONS + 1 });
  await until('it is final', async () => {
    await world.chain.client.mine({ blocks: 1 });
    return (await world.rows([operation.id]))[0]?.['state'] === 'final';
  });
  expect(await cancellationsOf(operation)).toEqual([]);
});

it('LaneRepairTracker: cancels an operation that a bundler has held for a day when a later one of its lane waits', async () => {
  bundler.isBundling = false;
  const owner = await world.fundedOwner();
  const operation = await storeOne(owner);
  await lapseHeld(operation);
  const later = await storeOne(owner, [pay(2n)], { sequence: 1n });
  await world.chain.client.mine({ blocks: 1 });
  await until('the bundler holds its cancellation', () =>
    Promise.resolve([...bundler.held.values()].every(({ callData }) => callData === '0x')),
  );
  bundler.isBundling = true;
  await bundler.bundle();
  await world.untilState('included', [later]);
  await untilRejected(operation, 'cancelled: it was not executed within a day');
});

it('LaneRepairTracker: cancels an operation whose fee was below the base fee for half an hour', async () => {
  bundler.isBundling = false;
  const operation = await storeOne(await world.fundedOwner());
  await until('the bundler holds it', () => Promise.resolve(bundler.held.size === 1));
  await setSubmission(operation, `submitted_at = now() - interval '6 minutes'`);
  await world.chain.client.setNextBlockBaseFeePerGas({ baseFeePerGas: 10n * GWEI });
  await world.chain.client.mine({ blocks: 1 });
  await until('the low fee is marked', async () => {
    const { rows } = await world.pool.query(
      'SELECT FROM account_kit.bundler_submissions WHERE operation_id = $1 AND underpriced_since IS NOT NULL',
      [operation.id],
    );
    return rows.length === 1;
  });
  expect(await cancellationsOf(operation)).toEqual([]);
  await setSubmission(operation, `underpriced_since = now() - interval '31 minutes'`);
  await world.chain.client.setNextBlockBaseFeePerGas({ baseFeePerGas: 9n * GWEI });
  await world.chain.client.mine({ blocks: 1 });
  await until('there is a cancellation', async () => (await cancellationsOf(operation)).length === 1);
  await until('the bundler holds it', () =>
    Promise.resolve([...bundler.held.values()].every(({ callData }) => callData === '0x')),
  );
  await bundler.bundle();
  await untilRejected(operation, 'cancelled: its maxFeePerGas was below the base fee for 30 minutes');
});

function toRpc(operation: object): RpcOperation {
  return Object.fromEntries(
    Object.entries(operation).map(([name, value]: [string, unknown]) => [
      name,
      typeof value === 'bigint' ? numberToHex(value) : (value as Hex),
    ]),
  );
}
