import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { forwardTo, HostileNode, type NodeRequest, reply } from '../support/hostile-node.js';
import { until } from '../support/until.js';
import { ALTO_ERRORS } from './alto-errors.js';
import { BundlerStandIn } from './bundler-stand-in.js';
import { ExecutorWorld, pay, RECIPIENT, type StoredOperation } from './executor-world.js';

const CONFIRMATIONS = 12;

let world: ExecutorWorld;
let bundler: BundlerStandIn;

beforeAll(async () => {
  world = await ExecutorWorld.start();
  bundler = await BundlerStandIn.start(world.chain);
});

afterEach(async () => {
  await world.stopApps();
  bundler.intercept = undefined;
  bundler.isBundling = true;
  bundler.forgetMempool();
  await world.chain.client.setAutomine(true);
});

afterAll(async () => {
  await world.stop();
  await bundler.stop();
});

const startWithBundler = (env: Record<string, string> = {}) =>
  world.startApp({ [`BUNDLER_URL_${world.chain.chainId}`]: bundler.url, ...env });
// The instance has a single executor, so that its nonces are known.
const startWithExecutors = () => world.startApp({ EXECUTOR_KEYS: world.executorKeys[0] ?? '' });

const countReceived = ({ hash }: StoredOperation): number =>
  bundler.received.filter((one) => one.hash === hash).length;

/** The states of the transactions of executors that had the operation. */
async function statesOfTransactions({ id }: StoredOperation): Promise<string[]> {
  const { rows } = await world.pool.query<{ state: string }>(
    `SELECT t.state FROM account_kit.executor_transaction_operations AS link
     JOIN account_kit.executor_transactions AS t ON t.id = link.transaction_id WHERE link.operation_id = $1`,
    [id],
  );
  return rows.map(({ state }) => state);
}

/** Stores an operation whose account has one of the next nonce behind it. @returns both */
async function storeTwo(): Promise<[StoredOperation, StoredOperation]> {
  const owner = await world.fundedOwner();
  const stored = await world.store(
    await world.sign(owner, [pay(1n)]),
    await world.sign(owner, [pay(1n)], { sequence: 1n }),
  );
  return stored as [StoredOperation, StoredOperation];
}

async function storeOne(signed: Awaited<ReturnType<ExecutorWorld['sign']>>): Promise<StoredOperation> {
  const [stored] = await world.store(signed);
  if (!stored) throw new Error('nothing was stored');
  return stored;
}

/** Stores an operation that own executors send in a transaction which no block has. The instance ends. */
async function leaveInTransaction(): Promise<StoredOperation> {
  await world.chain.client.setAutomine(false);
  const operation = await storeOne(await world.sign(await world.fundedOwner()));
  await startWithExecutors();
  await world.untilState('submitted', [operation]);
  await until('the node has the transaction', async () => {
    const { pending } = await world.chain.client.getTxpoolContent();
    return Object.keys(pending).length > 0;
  });
  await world.stopApps();
  return operation;
}

const storeNext = async ({ owner }: StoredOperation): Promise<StoredOperation> =>
  storeOne(await world.sign(owner, [pay(1n)], { sequence: 1n }));

it.each([
  { name: 'that was lost by the nodes', isLost: true },
  { name: 'that was mined meanwhile', isLost: false },
])(
  'T230: ChainBundlerWorker: follows a transaction of executors $name to its end after the chain got a bundler, and the account goes on',
  async ({ isLost }) => {
    const operation = await leaveInTransaction();
    if (isLost) await world.chain.client.request({ method: 'anvil_dropAllTransactions' } as never);
    else await world.chain.client.mine({ blocks: 1 });
    await world.chain.client.setAutomine(true);
    const next = await storeNext(operation);
    await startWithBundler();
    await world.untilState('included', [operation, next]);
    await world.chain.client.mine({ blocks: CONFIRMATIONS });
    await world.untilState('final', [operation, next]);
    // The transaction is settled in a later round than its operation.
    await until('its transaction is final', async () => {
      const states = await statesOfTransactions(operation);
      return states.join() === 'final';
    });
    expect([countReceived(operation), countReceived(next)]).toEqual([0, 1]);
  },
);

it('T230: ChainBundlerWorker: sends an operation to the bundler once when its transaction of an executor was replaced', async () => {
  const operation = await leaveInTransaction();
  const { client } = world.chain;
  await client.request({ method: 'anvil_dropAllTransactions' } as never);
  await client.setAutomine(true);
  // Somebody else has the key of the executor.
  const account = privateKeyToAccount(world.executorKeys[0] ?? '0x');
  const hash = await client.sendTransaction({ account, to: account.address, value: 0n });
  await client.waitForTransactionReceipt({ hash });
  bundler.isBundling = false;
  await startWithBundler();
  await until('the bundler has it', async () => {
    await client.mine({ blocks: 1 });
    return bundler.held.includes(operation.hash);
  });
  expect(await statesOfTransactions(operation)).toEqual(['replaced']);
  // A search that finds it in no block does not send it again.
  const next = await world.store(await world.sign(await world.fundedOwner()));
  for (let block = 0; block < 5; block += 1) {
    await client.mine({ blocks: 1 });
    const [row] = await world.rows([operation.id]);
    expect(row).toMatchObject({ state: 'submitted' });
  }
  bundler.isBundling = true;
  await world.untilState('included', [operation, ...next]);
  expect(countReceived(operation)).toBe(1);
});

it('T230: ChainBundlerWorker: sends each operation of a transaction to the bundler once after executors have given its nonce up', async () => {
  const { client, chainId, rpcUrl } = world.chain;
  // A node that refuses the transaction, as nodes do whose limits it exceeds.
  const node = await HostileNode.start(async (request, response) => {
    if (request.method === 'eth_sendRawTransaction' && String(request.params[0]).includes('badbadbadbad'))
      reply(response, request.id, { error: { code: -32_000, message: 'oversized data' } });
    else await forwardTo(rpcUrl)(request, response);
  });
  const env = { [`RPC_URL_${chainId}`]: node.url };
  const data: Hex = `0x${'bad'.repeat(8)}`;
  const operations = await world.store(
    await world.sign(await world.fundedOwner(), [{ target: RECIPIENT, value: 1n, data }]),
    await world.sign(await world.fundedOwner()),
  );
  await world.startApp({ ...env, EXECUTOR_KEYS: world.executorKeys[0] ?? '' });
  await until('the refusal is stored', async () => {
    const { rows } = await world.pool.query(
      `SELECT FROM account_kit.executor_transactions WHERE state = 'pending' AND refused_since IS NOT NULL`,
    );
    return rows.length > 0;
  });
  await world.stopApps();
  bundler.isBundling = false;
  await startWithBundler(env);
  await world.pool.query(
    `UPDATE account_kit.executor_transactions SET refused_since = refused_since - interval '5 minutes' WHERE state = 'pending'`,
  );
  await client.mine({ blocks: 20 });
  await until('the bundler has both', async () => {
    await client.mine({ blocks: 1 });
    return operations.every(({ hash }) => bundler.held.includes(hash));
  });
  const load = async () =>
    (await world.rows(operations.map(({ id }) => id))).map((row) => ({
      state: row['state'],
      state_seq: row['state_seq'],
    }));
  const sent = await load();
  expect(sent.map(({ state }) => state)).toEqual(['submitted', 'submitted']);
  // Each of these goes through rounds of the worker.
  for (let round = 0; round < 3; round += 1) {
    const later = await storeOne(await world.sign(await world.fundedOwner()));
    await until('the bundler has the later one', () => bundler.held.includes(later.hash));
  }
  expect(await load()).toEqual(sent);
  expect(operations.map(countReceived)).toEqual([1, 1]);
  bundler.isBundling = true;
  await world.untilState('included', operations);
  await world.stopApps();
  await node.stop();
});

it('T231: ChainExecutorWorker: sends what a bundler was sent and has not executed after the chain lost its bundler, and finds what the bundler executes', async () => {
  const [dropped, behindDropped] = await storeTwo();
  const [refused, behindRefused] = await storeTwo();
  const [held] = await storeTwo();
  bundler.isBundling = false;
  const requests = new Map<string, NodeRequest>();
  bundler.intercept = (request, response) => {
    const [{ sender }] = request.params as [{ sender: string }];
    requests.set(sender, request);
    if (sender !== refused.owner.address) return false;
    reply(response, request.id, { error: ALTO_ERRORS.unfunded });
    return true;
  };
  await startWithBundler();
  await until('the bundler has two and refuses one', async () => {
    const [row] = await world.rows([refused.id]);
    return countReceived(dropped) > 0 && countReceived(held) > 0 && row?.['reason'] !== null;
  });
  await world.stopApps();
  bundler.forgetMempool();
  // It would be sent to the bundler again now. What the bundler executes is due later.
  await world.pool.query(
    `UPDATE account_kit.bundler_submissions SET next_attempt_at = now() + CASE WHEN operation_id = $1 THEN interval '0' ELSE interval '1 hour' END`,
    [dropped.id],
  );
  await startWithExecutors();
  await world.untilState('included', [dropped, behindDropped, refused, behindRefused]);
  expect((await world.rows([held.id]))[0]).toMatchObject({ state: 'submitted' });
  // The bundler has kept it.
  const request = requests.get(held.owner.address);
  if (!request) throw new Error('the bundler never got it');
  expect(await bundler.answer(request)).toEqual({ result: held.hash });
  bundler.isBundling = true;
  await world.untilState('included', [held]);
  await world.chain.client.mine({ blocks: CONFIRMATIONS });
  await world.untilState('final', [dropped, behindDropped, refused, behindRefused, held]);
});

it('T231: LaneRepairTracker: does not cancel by the rules of a bundler what executors send after the chain lost its bundler', async () => {
  const owner = world.createOwner();
  bundler.intercept = (request, response) => {
    const [{ sender }] = request.params as [{ sender: string }];
    if (sender !== owner.address) return false;
    reply(response, request.id, { error: ALTO_ERRORS.unfunded });
    return true;
  };
  const operation = await storeOne(await world.sign(owner));
  await startWithBundler();
  await until('the bundler refuses it', async () => {
    const [row] = await world.rows([operation.id]);
    return row?.['reason'] === ALTO_ERRORS.unfunded.message;
  });
  await world.stopApps();
  await world.pool.query(
    `UPDATE account_kit.bundler_submissions SET submitted_at = submitted_at - interval '61 minutes' WHERE operation_id = $1`,
    [operation.id],
  );
  await startWithExecutors();
  await until('executors have simulated it', async () => {
    const [row] = await world.rows([operation.id]);
    return row?.['state'] === 'signed' && String(row['reason']).startsWith('AA21');
  });
  // Lanes are repaired once a block.
  for (let block = 0; block < 3; block += 1) {
    await world.untilState('included', [await storeOne(await world.sign(await world.fundedOwner()))]);
    await world.chain.client.mine({ blocks: CONFIRMATIONS });
  }
  const { rows } = await world.pool.query(
    `SELECT FROM account_kit.user_operations WHERE sender = $1 AND kind = 'cancellation'`,
    [owner.address],
  );
  expect(rows).toEqual([]);
  await world.chain.setNativeBalance(owner.address, 10n ** 18n);
  await world.pool.query(`UPDATE account_kit.user_operations SET next_attempt_at = now() WHERE id = $1`, [
    operation.id,
  ]);
  await world.untilState('included', [operation]);
});
