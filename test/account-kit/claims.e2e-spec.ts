import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import { ACCOUNT_CONTRACTS } from '../../apps/account-kit/src/evm/accounts/account-contracts.js';
import { encodeHandleOps, toMaxGasCost } from '../../apps/account-kit/src/evm/operations/user-operation.js';
import { entryPoint08Abi } from 'viem/account-abstraction';
import { encodeErrorResult, parseAbi } from 'viem/utils';
import { forwardTo, HostileNode, type NodeRequest, reply } from '../support/hostile-node.js';
import { until } from '../support/until.js';
import { ExecutorWorld, pay, RECIPIENT, type StoredOperation } from './executor-world.js';
import type { SmartAccountOwner } from './smart-account-owner.js';

const GWEI = 10n ** 9n;
const FEES = { maxFeePerGas: 20n * GWEI, maxPriorityFeePerGas: 2n * GWEI };
/** Fees below those of any block of the local chain. */
const CHEAP = { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n };
/** Fees above what an account without coins can pay. */
const UNPAID = FEES;
let world: ExecutorWorld;

beforeAll(async () => {
  world = await ExecutorWorld.start();
  // The contracts are there at the confirmation depth, too.
  await world.chain.client.mine({ blocks: 12 });
});

afterEach(async () => {
  await world.stopApps();
  await world.chain.client.setAutomine(true);
  await world.chain.client.mine({ blocks: 1 });
});

afterAll(() => world.stop());

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((resolved) => (resolve = resolved));
  return { promise, resolve };
}

type Signed = Awaited<ReturnType<ExecutorWorld['sign']>>;

async function storeOne(signed: Signed): Promise<StoredOperation> {
  const [stored] = await world.store(signed);
  if (!stored) throw new Error('nothing was stored');
  return stored;
}

async function rowOf({ id }: StoredOperation): Promise<Record<string, unknown>> {
  const [row] = await world.rows([id]);
  if (!row) throw new Error('there is no such operation');
  return row;
}

const fundedOperation = async (): Promise<Signed> => world.sign(await world.fundedOwner(), [pay(1n)], FEES);
const unpaidOperations = (count: number) =>
  Promise.all(Array.from({ length: count }, () => world.sign(world.createOwner(), [pay(1n)], UNPAID)));

/** How many transactions an operation was in. */
async function transactionsOf({ id }: StoredOperation): Promise<number> {
  const { rows } = await world.pool.query<{ count: number }>(
    'SELECT count(*)::int FROM account_kit.executor_transaction_operations WHERE operation_id = $1',
    [id],
  );
  return rows[0]?.count ?? 0;
}

async function deployedOwner(): Promise<SmartAccountOwner> {
  const owner = await world.fundedOwner();
  await world.untilState('included', await world.store(await world.sign(owner, [pay(1n)], FEES)));
  return owner;
}

/** A node in front of the chain; `intercept` may keep a request back until it resolves. */
const startNode = (intercept?: (request: NodeRequest) => Promise<void> | undefined) =>
  HostileNode.start(async (request: NodeRequest, response: ServerResponse) => {
    await intercept?.(request);
    return forwardTo(world.chain.rpcUrl)(request, response);
  });
const startAppAt = (node: HostileNode, env: Record<string, string> = {}) =>
  world.startApp({ [`RPC_URL_${world.chain.chainId}`]: node.url, ...env });
const FAILED_OP = parseAbi(['error FailedOp(uint256 opIndex, string reason)']);
const HANDLE_OPS = '765e827f';

/** Executes an operation without account-kit, before the transactions that wait. */
const executeFirst = (signed: Signed) =>
  world.chain.client.sendTransaction({
    to: ACCOUNT_CONTRACTS['0.8'].entryPoint,
    data: encodeHandleOps('0.8', [signed.operation], RECIPIENT),
    maxPriorityFeePerGas: 10n ** 12n,
    maxFeePerGas: 10n ** 14n,
    gas: 2_000_000n,
  });

/** A bundle is stored before it is sent. One that has not come yet is simulated again, and made anew without what would revert. */
const untilAtNode = (): Promise<void> =>
  until('the bundle is at the node', async () => {
    const { pending } = await world.chain.client.getTxpoolStatus();
    return pending > 0;
  });

const isReason = (operation: StoredOperation, start: string) =>
  until(`the reason begins with ${start}`, async () =>
    String((await rowOf(operation))['reason']).startsWith(start),
  );

describe('claims of operations', () => {
  it('a fresh operation: is included after few simulations although 200 operations of others fail theirs', async () => {
    let simulations = 0;
    const node = await startNode((request) => {
      const isSimulation = ['eth_call', 'eth_simulateV1'].includes(request.method);
      if (isSimulation && JSON.stringify(request).includes(HANDLE_OPS)) simulations += 1;
      return undefined;
    });
    await world.store(...(await unpaidOperations(200)));
    const fresh = await storeOne(await fundedOperation());
    const app = await startAppAt(node);
    await world.untilState('included', [fresh]);
    const first = simulations;
    // Measured: 20. One for each failing operation were 200.
    expect(first).toBeLessThan(40);
    // The failing ones are tried again, a few beside each fresh one.
    const next = await storeOne(await fundedOperation());
    await world.untilState('included', [next]);
    expect(simulations - first).toBeLessThan(60);
    const lines = app.logLines.filter((line) => line.includes('a user operation failed its simulation'));
    await until('all of them have failed', async () => {
      const { rows } = await world.pool.query(
        `SELECT FROM account_kit.user_operations WHERE state = 'signed' AND simulation_failures = 0`,
      );
      return rows.length === 0;
    });
    // A reason is logged once, however often the operation fails by it.
    expect(new Set(lines.map((line) => /"operationId":"([^"]+)/.exec(line)?.[1])).size).toBe(lines.length);
    await world.pool.query(
      `UPDATE account_kit.user_operations SET accepted_at = now() - interval '25 hours' WHERE state IN ('signed', 'stuck')`,
    );
    await app.stop();
    await node.stop();
  });

  it('a fresh operation: is simulated before 200 older ones that failed before, of which 20 are claimed with it', async () => {
    const failed = await world.store(...(await unpaidOperations(200)));
    const ids = failed.map(({ id }) => id);
    await world.pool.query(
      `UPDATE account_kit.user_operations SET reason = 'AA21 didn''t pay prefund', simulation_failures = 1 WHERE id = ANY($1::uuid[])`,
      [ids],
    );
    const claims: { hasFresh: boolean; hasFailed: boolean; claimed: number }[] = [];
    const fresh = await storeOne(await fundedOperation());
    const toBytes = ({ owner }: StoredOperation) => owner.address.slice(2).toLowerCase();
    const node = await startNode(async (request) => {
      const text = JSON.stringify(request).toLowerCase();
      if (!['eth_call', 'eth_simulateV1'].includes(request.method) || !text.includes(HANDLE_OPS)) return;
      const { rowCount } = await world.pool.query(
        'SELECT FROM account_kit.user_operations WHERE id = ANY($1::uuid[]) AND next_attempt_at IS NOT NULL',
        [ids],
      );
      claims.push({
        hasFresh: text.includes(toBytes(fresh)),
        hasFailed: failed.some((one) => text.includes(toBytes(one))),
        claimed: rowCount ?? 0,
      });
    });
    const app = await startAppAt(node);
    await world.untilState('included', [fresh]);
    // A claim has 200 operations, of which a tenth are repeats.
    expect(claims[0]).toEqual({ hasFresh: true, hasFailed: false, claimed: 20 });
    await world.pool.query('DELETE FROM account_kit.user_operations WHERE id = ANY($1::uuid[])', [ids]);
    await app.stop();
    await node.stop();
  });

  it('a fresh operation: is in the first simulation although another application has 400 older fresh ones', async () => {
    const others = await world.store(...(await unpaidOperations(400)));
    const ids = others.map(({ id }) => id);
    await world.pool.query(
      `UPDATE account_kit.user_operations SET client_id = 'another' WHERE id = ANY($1::uuid[])`,
      [ids],
    );
    const fresh = await storeOne(await fundedOperation());
    const sender = fresh.owner.address.slice(2).toLowerCase();
    const simulations: boolean[] = [];
    const node = await startNode((request) => {
      const text = JSON.stringify(request).toLowerCase();
      if (['eth_call', 'eth_simulateV1'].includes(request.method) && text.includes(HANDLE_OPS))
        simulations.push(text.includes(sender));
      return undefined;
    });
    const app = await startAppAt(node);
    await world.untilState('included', [fresh]);
    expect(simulations[0]).toBe(true);
    await world.pool.query('DELETE FROM account_kit.user_operations WHERE id = ANY($1::uuid[])', [ids]);
    await app.stop();
    await node.stop();
  });

  it('a fresh operation: is sent before 400 operations that wait for lower fees are looked at again', async () => {
    const cheap = await Promise.all(
      Array.from({ length: 400 }, () => world.sign(world.createOwner(), [pay(1n)], CHEAP)),
    );
    const waiting = (await world.store(...cheap)).map(({ id }) => id);
    await world.pool.query(
      `UPDATE account_kit.user_operations SET hold_reason = 'fee too low: of an earlier block' WHERE id = ANY($1::uuid[])`,
      [waiting],
    );
    const looked: number[] = [];
    const node = await startNode(async (request) => {
      if (!['eth_call', 'eth_simulateV1'].includes(request.method)) return;
      if (!JSON.stringify(request).includes(HANDLE_OPS)) return;
      const { rowCount } = await world.pool.query(
        'SELECT FROM account_kit.user_operations WHERE id = ANY($1::uuid[]) AND next_attempt_at IS NOT NULL',
        [waiting],
      );
      looked.push(rowCount ?? 0);
    });
    const fresh = await storeOne(await fundedOperation());
    const app = await startAppAt(node);
    await world.untilState('included', [fresh]);
    // The operation is in the first claim, which has 200 operations.
    expect(looked[0]).toBeLessThan(200);
    await world.pool.query('DELETE FROM account_kit.user_operations WHERE id = ANY($1::uuid[])', [waiting]);
    await app.stop();
    await node.stop();
  });

  it('an operation whose refusal names a text that PostgreSQL does not store: stops no operation of another account', async () => {
    const poison = await fundedOperation();
    const sender = poison.owner.address.slice(2).toLowerCase();
    const data = encodeErrorResult({ abi: FAILED_OP, errorName: 'FailedOp', args: [0n, 'AA24 \u0000'] });
    const node = await HostileNode.start((request, response) => {
      const isRefused =
        request.method === 'eth_call' && JSON.stringify(request).toLowerCase().includes(sender);
      if (!isRefused) return forwardTo(world.chain.rpcUrl)(request, response);
      reply(response, request.id, { error: { code: 3, message: 'execution reverted', data } });
    });
    const refused = await storeOne(poison);
    await startAppAt(node);
    await isReason(refused, 'AA24');
    const other = await storeOne(await fundedOperation());
    await world.untilState('included', [other]);
    await world.pool.query('DELETE FROM account_kit.user_operations WHERE id = $1', [refused.id]);
    await world.stopApps();
    await node.stop();
  });

  it('an operation without a sponsor: lapses a day after its acceptance, and is not tried any more', async () => {
    const [old, other] = [await fundedOperation(), await fundedOperation()];
    const lapsing = await storeOne(old);
    await world.pool.query(
      `UPDATE account_kit.user_operations SET accepted_at = now() - interval '25 hours' WHERE id = $1`,
      [lapsing.id],
    );
    await world.sharedApp();
    await world.untilState('included', [await storeOne(other)]);
    const [row] = await world.untilState('stuck', [lapsing]);
    expect(row).toMatchObject({ reason: 'lapsed', simulation_failures: 0 });
  });

  it('an operation that is cancelled while its bundle is simulated: is left out, and its cancellation is included', async () => {
    const owner = await deployedOwner();
    const [original, cancellation] = await Promise.all([
      world.sign(owner, [pay(1n)], { ...FEES, sequence: 1n }),
      world.sign(owner, [pay(0n)], { ...FEES, sequence: 1n }),
    ]);
    const released = withResolvers();
    let isHeld = false;
    const node = await startNode((request) => {
      if (request.method !== 'eth_call' || isHeld) return undefined;
      isHeld = JSON.stringify(request).includes(original.operation.signature.slice(2));
      return isHeld ? released.promise : undefined;
    });
    const app = await startAppAt(node);
    const operation = await storeOne(original);
    await until('the bundle is simulated', () => isHeld);
    const replacing = await storeOne({ ...cancellation, sequence: 9n });
    await world.pool.query(
      `UPDATE account_kit.user_operations SET kind = 'cancellation', nonce_sequence = 1 WHERE id = $1`,
      [replacing.id],
    );
    released.resolve();
    await world.untilState('included', [replacing]);
    expect(await transactionsOf(operation)).toBe(0);
    await app.stop();
    await node.stop();
  });

  it('an operation that is frozen after it was claimed: its bytes go to no node', async () => {
    const [first, second] = [await fundedOperation(), await fundedOperation()];
    const has = (request: NodeRequest, { operation }: Signed) =>
      JSON.stringify(request).includes(operation.signature.slice(2));
    const released = withResolvers();
    let isHeld = false;
    let hasLeft = false;
    const node = await startNode((request) => {
      hasLeft ||= has(request, second);
      if (isHeld || !has(request, first)) return undefined;
      isHeld = true;
      return released.promise;
    });
    // Each has a bundle of its own.
    const app = await startAppAt(node, { EXECUTOR_BUNDLE_GAS: '700000' });
    const [operation, frozen] = await world.store(first, second);
    if (!operation || !frozen) throw new Error('nothing was stored');
    await until('the first bundle is simulated', () => isHeld);
    const { account_id: accountId } = await rowOf(frozen);
    await world.pool.query(
      `INSERT INTO account_kit.freezes (scope, subject, reason) VALUES ('account', $1, 'a test')`,
      [accountId],
    );
    released.resolve();
    await world.untilState('included', [operation]);
    await world.untilState('included', [await storeOne(await fundedOperation())]);
    expect(hasLeft).toBe(false);
    await world.pool.query('DELETE FROM account_kit.freezes');
    await world.untilState('included', [frozen]);
    await app.stop();
    await node.stop();
  });
});

describe('bundles that revert', () => {
  /** The first lane sends away what the second one needs. @returns the operation of the second lane, signed */
  async function emptyByFirstLane(): Promise<Signed> {
    const owner = await deployedOwner();
    const { address } = owner;
    const balance = await world.chain.client.getBalance({ address });
    // What earlier operations have not used.
    const deposit = await world.chain.client.readContract({
      address: ACCOUNT_CONTRACTS['0.8'].entryPoint,
      abi: entryPoint08Abi,
      functionName: 'balanceOf',
      args: [address],
    });
    await world.chain.client.setAutomine(false);
    const lane = { ...FEES, deploys: false };
    const second = await world.sign(owner, [pay(1n)], { ...lane, key: 2n });
    // What stays is a little more than the second one needs, before the first one has paid for its gas.
    const rest = toMaxGasCost(second.operation) + GWEI;
    const emptying = await world.sign(owner, [pay(balance + deposit - rest)], { ...lane, key: 1n });
    await world.untilState('submitted', [await storeOne(emptying)]);
    return second;
  }

  it('an account whose other lane is in a transaction that waits: is simulated after it, and hurts no bundle', async () => {
    const app = await world.startApp();
    const second = await emptyByFirstLane();
    const [poor, victim] = await world.store(second, await fundedOperation());
    if (!poor || !victim) throw new Error('nothing was stored');
    await world.untilState('submitted', [victim]);
    await isReason(poor, 'AA21');
    await world.chain.client.setAutomine(true);
    await world.chain.client.mine({ blocks: 1 });
    await world.untilState('included', [victim]);
    expect(await transactionsOf(victim)).toBe(1);
    expect(app.logLines.filter((line) => line.includes('a bundle reverted'))).toEqual([]);
  });

  it('an account whose other lane is in a transaction of another executor: waits until it is mined', async () => {
    const released = withResolvers();
    let isHeld = false;
    const node = await startNode(() => (isHeld ? released.promise : undefined));
    const leased = { EXECUTOR_LEASE_MS: '60000' };
    const first = await startAppAt(node, leased);
    const second = await emptyByFirstLane();
    isHeld = true; // the first instance sends nothing more, and keeps its executor
    const other = await world.startApp(leased);
    const [poor, victim] = await world.store(second, await fundedOperation());
    if (!poor || !victim) throw new Error('nothing was stored');
    await world.untilState('submitted', [victim]);
    expect(await rowOf(poor)).toMatchObject({ state: 'signed', reason: null });
    await world.chain.client.setAutomine(true);
    await world.chain.client.mine({ blocks: 1 });
    released.resolve();
    isHeld = false;
    await world.untilState('included', [victim]);
    await isReason(poor, 'AA21');
    const lines = [...first.logLines, ...other.logLines];
    expect(lines.filter((line) => line.includes('a bundle reverted'))).toEqual([]);
    await world.stopApps();
    await node.stop();
  });

  it('an operation that made a bundle revert: gets the strike alone, and the others are included by the next one', async () => {
    await world.chain.client.setAutomine(false);
    await world.startApp();
    const [guilty, victim] = await world.store(await fundedOperation(), await fundedOperation());
    if (!guilty || !victim) throw new Error('nothing was stored');
    await world.untilState('submitted', [guilty, victim]);
    await untilAtNode();
    await world.chain.setNativeBalance(guilty.owner.address, 0n);
    await world.chain.client.mine({ blocks: 1 });
    await world.chain.client.setAutomine(true);
    await isReason(guilty, 'AA21');
    await world.untilState('included', [victim]);
    expect(await rowOf(guilty)).toMatchObject({ strikes: 1 });
    expect(await rowOf(victim)).toMatchObject({ strikes: 0, goes_alone: false });
  });

  it('operations of a bundle that somebody else made revert: go alone next, without a strike', async () => {
    await world.chain.client.setAutomine(false);
    await world.startApp();
    const copied = await fundedOperation();
    const [front, ...victims] = await world.store(copied, await fundedOperation(), await fundedOperation());
    if (!front) throw new Error('nothing was stored');
    await world.untilState('submitted', [front, ...victims]);
    await untilAtNode();
    await executeFirst(copied);
    await world.chain.client.mine({ blocks: 1 });
    await until('they are in transactions of their own', async () => {
      await world.chain.client.mine({ blocks: 1 });
      const counts = await Promise.all(victims.map(transactionsOf));
      return counts.every((count) => count === 2);
    });
    await world.chain.client.setAutomine(true);
    const rows = await world.untilState('included', victims);
    expect(rows.map(({ strikes }) => strikes)).toEqual([0, 0]);
    expect(new Set(rows.map((row) => row['transaction_hash'])).size).toBe(2);
    await world.untilState('included', [front]);
    expect(await transactionsOf(front)).toBe(1);
  });
});
