import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Hex } from 'viem';
import { entryPoint08Abi } from 'viem/account-abstraction';
import { toMaxGasCost } from '../../apps/account-kit/src/evm/operations/user-operation.js';
import { NODE_TX_FEE_CAP } from '../support/strict-node.js';
import { forwardTo, HostileNode, reply } from '../support/hostile-node.js';
import { until } from '../support/until.js';
import { ExecutorWorld, pay, RECIPIENT, type StoredOperation } from './executor-world.js';

const GWEI = 10n ** 9n;
const DEEP = 13;
/** Only bytes of operations that nodes refuse contain it. */
const POISON: Hex = `0x${'bad'.repeat(8)}`;
const OVERSIZED = { code: -32_000, message: 'oversized data: transaction size 134201, limit 131072' };
/** An operation that pays more than 6 times what a block of the local chain costs. */
const DEAR = { maxFeePerGas: 300n * GWEI, maxPriorityFeePerGas: 2n * GWEI };
let world: ExecutorWorld;

beforeAll(async () => {
  world = await ExecutorWorld.start();
});

afterEach(async () => {
  await world.stopApps();
  await world.chain.client.setAutomine(true);
  for (const executor of world.executors) await world.chain.setNativeBalance(executor, 10n ** 20n);
});

afterAll(() => world.stop());

const isSending = (request: { method: string }) => request.method === 'eth_sendRawTransaction';

/** A node that refuses transactions with an operation of the test, as geth does. */
const refusingNode = (isRefused: (raw: string) => boolean = () => true) =>
  HostileNode.start(async (request, response) => {
    const raw = isSending(request) ? String(request.params[0]) : '';
    if (raw.includes(POISON.slice(2)) && isRefused(raw)) reply(response, request.id, { error: OVERSIZED });
    else await forwardTo(world.chain.rpcUrl)(request, response);
  });

const at = (...nodes: readonly HostileNode[]) => ({
  [`RPC_URL_${world.chain.chainId}`]: nodes.map(({ url }) => url).join(),
});
const poison = async () =>
  world.sign(await world.fundedOwner(), [{ target: RECIPIENT, value: 1n, data: POISON }]);
const ordinary = async (fees = {}) => world.sign(await world.fundedOwner(), [pay(1n)], fees);

interface Transaction {
  readonly id: string;
  readonly executor: string;
  readonly state: string;
  readonly gas: string;
  readonly refused: boolean;
  readonly givenUpFor: string | null;
  readonly maxFee: string;
}

async function transactionsOf({ id }: StoredOperation): Promise<Transaction[]> {
  const { rows } = await world.pool.query<Transaction>(
    `SELECT t.id, t.executor, t.state, t.gas, t.refused_since IS NOT NULL AS refused, t.given_up_for AS "givenUpFor",
       (SELECT max(max_fee_per_gas) FROM account_kit.executor_transaction_variants WHERE transaction_id = t.id) AS "maxFee"
     FROM account_kit.executor_transactions AS t
     JOIN account_kit.executor_transaction_operations AS link ON link.transaction_id = t.id
     WHERE link.operation_id = $1 ORDER BY t.created_at`,
    [id],
  );
  return rows;
}

const isRefused = (operation: StoredOperation) =>
  until('the refusal is stored', async () =>
    (await transactionsOf(operation)).some(({ state, refused }) => state === 'pending' && refused),
  );

/** Lets transactions be as old as they must be before their nonces are given up. */
async function age(): Promise<void> {
  await world.pool.query(
    `UPDATE account_kit.executor_transactions
     SET refused_since = refused_since - interval '5 minutes', created_at = created_at - interval '5 minutes'`,
  );
  await world.chain.client.mine({ blocks: 20 });
}

async function rowOf({ id }: StoredOperation): Promise<Record<string, unknown>> {
  const [row] = await world.rows([id]);
  if (!row) throw new Error('there is no such operation');
  return row;
}

const isGivenUp = (operation: StoredOperation, reason: string) =>
  until(`its nonce is given up: ${reason}`, async () =>
    (await transactionsOf(operation)).some(({ givenUpFor }) => givenUpFor === reason),
  );

async function setBaseFee(baseFeePerGas: bigint): Promise<void> {
  await world.chain.client.setNextBlockBaseFeePerGas({ baseFeePerGas });
  await world.chain.client.mine({ blocks: 1 });
}

async function storeOne(signed: Awaited<ReturnType<ExecutorWorld['sign']>>): Promise<StoredOperation> {
  const [stored] = await world.store(signed);
  if (!stored) throw new Error('nothing was stored');
  return stored;
}

it('executors: an operation whose lone transaction every node refuses gets a strike and pauses, and a silent node does not prevent the proof', async () => {
  const refusing = await refusingNode();
  // A node that answers everything but transactions, for as long as the test runs.
  const silent = await HostileNode.start((request, response) =>
    isSending(request) ? undefined : forwardTo(world.chain.rpcUrl)(request, response),
  );
  await world.startApp({
    ...at(silent, refusing),
    RPC_TIMEOUT_MS: '300',
    EXECUTOR_KEYS: world.executorKeys[0] ?? '',
  });
  const refused = await storeOne(await poison());
  await isRefused(refused);
  await age();
  await isGivenUp(refused, 'refused');
  const before = Date.now();
  await until('the operation is returned', async () => {
    await world.chain.client.mine({ blocks: DEEP });
    return (await rowOf(refused))['strikes'] === 1;
  });
  const row = await rowOf(refused);
  expect(row).toMatchObject({
    state: 'signed',
    goes_alone: true,
    reason: expect.stringMatching(/^refused: nodes do not take its transaction: oversized data/),
  });
  expect(Number(row['next_attempt_at'])).toBeGreaterThan(before + 15 * 60_000);
  await world.untilState('included', [await storeOne(await ordinary())]);
  await world.stopApps();
  await Promise.all([refusing.stop(), silent.stop()]);
  await world.pool.query(`UPDATE account_kit.user_operations SET state = 'rejected' WHERE id = $1`, [
    refused.id,
  ]);
});

it('executors: while a transaction is refused, another executor sends, also what the same sponsor pays for', async () => {
  const node = await refusingNode();
  await world.startApp(at(node));
  const owner = await world.fundedOwner();
  const sponsored = await world.signSponsored(owner, {
    callData: (await world.sign(owner, [{ target: RECIPIENT, value: 0n, data: POISON }])).operation.callData,
  });
  const refused = await storeOne(sponsored);
  await isRefused(refused);
  const victims = await world.store(
    await world.signSponsored(world.createOwner()),
    await world.signSponsored(world.createOwner()),
    await ordinary(),
  );
  await world.untilState('included', victims);
  const [first] = await transactionsOf(refused);
  for (const victim of victims)
    expect((await transactionsOf(victim)).map(({ executor }) => executor)).not.toContain(first?.executor);
  await age();
  await isGivenUp(refused, 'refused');
  await world.stopApps();
  await node.stop();
  await world.pool.query(`UPDATE account_kit.user_operations SET state = 'rejected' WHERE id = $1`, [
    refused.id,
  ]);
});

it('executors: an executor without coins stores no transaction, and another one sends what it would hold', async () => {
  const [poor] = world.executors;
  await world.chain.setNativeBalance(poor ?? RECIPIENT, 1n);
  const before = (await world.transactions()).filter(({ executor }) => executor === poor).length;
  await world.startApp();
  await world.untilState('included', await world.store(await ordinary(), await ordinary()));
  expect((await world.transactions()).filter(({ executor }) => executor === poor)).toHaveLength(before);
});

it('executors: the deposit of a sponsor covers the worst case of all that is in flight, and what it does not cover waits', async () => {
  const { client } = world.chain;
  const deposit = await client.readContract({
    address: world.contracts.entryPoint08,
    abi: entryPoint08Abi,
    functionName: 'balanceOf',
    args: [world.contracts.paymaster08],
  });
  const sample = await world.signSponsored(world.createOwner());
  const gas = toMaxGasCost({ ...sample.operation, maxFeePerGas: 1n });
  // An operation may cost three fifths of the deposit.
  const fees = { maxFeePerGas: (deposit * 3n) / 5n / gas, maxPriorityFeePerGas: GWEI };
  await client.setAutomine(false);
  await world.startApp({ EXECUTOR_KEYS: world.executorKeys[0] ?? '' });
  const first = await storeOne(await world.signSponsored(world.createOwner(), fees));
  await world.untilState('submitted', [first]);
  const [second, victim] = await world.store(
    await world.signSponsored(world.createOwner(), fees),
    await ordinary(),
  );
  if (!second || !victim) throw new Error('nothing was stored');
  await world.untilState('submitted', [victim]);
  await until('the second one waits', async () =>
    String((await rowOf(second))['hold_reason']).startsWith('deposit of the sponsor'),
  );
  await client.setAutomine(true);
  await client.mine({ blocks: 1 });
  await world.untilState('included', [first, second, victim]);
});

it('executors: an operation that pays little does not travel with dear ones, and its nonce is given up when a block costs more', async () => {
  await setBaseFee(GWEI);
  await world.chain.client.setAutomine(false);
  await world.startApp({ EXECUTOR_KEYS: world.executorKeys[0] ?? '', EXECUTOR_BUMP_BLOCKS: '1' });
  const cheap = await storeOne(await ordinary());
  await world.untilState('submitted', [cheap]);
  const [marginal, dear] = await world.store(await ordinary(), await ordinary(DEAR));
  if (!marginal || !dear) throw new Error('nothing was stored');
  await world.untilState('submitted', [marginal, dear]);
  const [held] = await transactionsOf(marginal);
  const [sent] = await transactionsOf(dear);
  expect(sent?.id).not.toBe(held?.id);
  await until('the first transaction is held', async () => {
    await setBaseFee(50n * GWEI);
    return (await transactionsOf(cheap)).length > 0;
  });
  await world.pool.query(
    `UPDATE account_kit.executor_transactions SET created_at = created_at - interval '5 minutes'`,
  );
  await until('the dear operation is included', async () => {
    await setBaseFee(50n * GWEI);
    return ['included', 'final'].includes(String((await rowOf(dear))['state']));
  });
  expect((await transactionsOf(cheap)).map(({ givenUpFor }) => givenUpFor)).toEqual(['unpaid']);
  await world.chain.client.setAutomine(true);
  await until('the cheap one is included when blocks cost less', async () => {
    await setBaseFee(GWEI);
    const states = (await world.rows([cheap.id, marginal.id])).map((row) => String(row['state']));
    return states.every((state) => ['included', 'final'].includes(state));
  });
  expect(await rowOf(cheap)).toMatchObject({ strikes: 0, goes_alone: false });
});

it('executors: the nonce of a held transaction is given up before the signature of a sponsor ends in it', async () => {
  await setBaseFee(GWEI);
  await world.chain.client.setAutomine(false);
  const app = await world.startApp({ EXECUTOR_BUMP_BLOCKS: '1' });
  const operation = await storeOne(await world.signSponsored(world.createOwner()));
  await world.untilState('submitted', [operation]);
  await setBaseFee(50n * GWEI);
  await world.pool.query(
    `UPDATE account_kit.user_operations SET valid_until = now() + interval '110 seconds' WHERE id = $1`,
    [operation.id],
  );
  await isGivenUp(operation, 'expiring');
  await until('the operation is returned', async () => {
    await setBaseFee(50n * GWEI);
    return (await rowOf(operation))['state'] === 'signed';
  });
  expect(await rowOf(operation)).toMatchObject({ strikes: 0, goes_alone: false });
  expect(app.logLines.filter((line) => line.includes('a bundle reverted'))).toEqual([]);
  await world.chain.client.setAutomine(true);
  await setBaseFee(GWEI);
  await world.pool.query(`UPDATE account_kit.user_operations SET state = 'rejected' WHERE id = $1`, [
    operation.id,
  ]);
});

it('executors: no transaction costs more than the cap of nodes, and all operations are included', async () => {
  const baseFee = 150n * GWEI;
  await setBaseFee(baseFee);
  await world.chain.client.setAutomine(false);
  const fees = { maxFeePerGas: 800n * GWEI, maxPriorityFeePerGas: GWEI };
  const operations = await world.store(
    ...(await Promise.all(Array.from({ length: 20 }, () => ordinary(fees)))),
  );
  const wealthy = world.createOwner();
  await world.chain.setNativeBalance(wealthy.address, 10n ** 20n);
  const large = await storeOne(await world.sign(wealthy, [pay(1n)], { ...fees, callGasLimit: 10_000_000n }));
  await world.startApp({ EXECUTOR_BUMP_BLOCKS: '1' });
  await until('all are included', async () => {
    await setBaseFee(baseFee);
    const states = (await world.rows(operations.map(({ id }) => id))).map((row) => String(row['state']));
    return states.every((state) => ['included', 'final'].includes(state));
  });
  const transactions = (await Promise.all(operations.map(transactionsOf))).flat();
  for (const { gas, maxFee } of transactions)
    expect(BigInt(gas) * BigInt(maxFee)).toBeLessThanOrEqual((NODE_TX_FEE_CAP * 9n) / 10n);
  expect(await rowOf(large)).toMatchObject({
    state: 'signed',
    hold_reason: expect.stringMatching(/^fees too high: alone in a transaction its gas may cost/),
  });
  await world.chain.client.setAutomine(true);
  await setBaseFee(GWEI);
  await world.untilState('included', [large]);
});

it('executors: EXECUTOR_SEND_URL gets the transactions and nothing else, the node gets none, and no log line has the URL', async () => {
  const node = await HostileNode.start(forwardTo(world.chain.rpcUrl));
  const relay = await HostileNode.start(forwardTo(world.chain.rpcUrl));
  const app = await world.startApp({
    ...at(node),
    [`EXECUTOR_SEND_URL_${world.chain.chainId}`]: `${relay.url}/s3cret-of-the-relay`,
  });
  await world.untilState('included', await world.store(await ordinary()));
  expect(new Set(relay.methods)).toEqual(new Set(['eth_sendRawTransaction']));
  expect(node.count('eth_sendRawTransaction')).toBe(0);
  await relay.stop();
  await world.store(await ordinary());
  await until('the relay is away', () => app.logLines.some((line) => line.includes('does not accept')));
  expect(app.logLines.filter((line) => line.includes('s3cret-of-the-relay'))).toEqual([]);
  await world.stopApps();
  await node.stop();
});

it('executors: operations that an instance of the previous release left behind an empty transaction are sent again', async () => {
  const node = await refusingNode();
  const app = await world.startApp({ ...at(node), EXECUTOR_KEYS: world.executorKeys[1] ?? '' });
  await world.untilState('included', await world.store(await ordinary()));
  const operations = await world.store(await poison());
  const [refused] = operations;
  if (!refused) throw new Error('nothing was stored');
  await isRefused(refused);
  await age();
  await until('the empty one is mined', async () =>
    (await transactionsOf(refused)).some(({ state }) => state === 'mined'),
  );
  await app.stop();
  // The previous release knows no empty variants: what is mined counts as executed.
  await world.pool.query(
    `UPDATE account_kit.executor_transactions SET state = 'final' WHERE state = 'mined'`,
  );
  expect(await rowOf(refused)).toMatchObject({ state: 'submitted' });
  await world.startApp();
  await world.untilState('included', operations);
  await world.stopApps();
  await node.stop();
});

it('executors: while an operation that goes alone is refused, one of another tenant that goes alone is sent, and one of its bundle waits', async () => {
  const node = await refusingNode();
  const [refused, sibling, victim] = await world.store(await poison(), await ordinary(), await ordinary());
  if (!refused || !sibling || !victim) throw new Error('nothing was stored');
  const bundle = [refused.id, sibling.id];
  // What was accepted first is sent first.
  await world.pool.query(
    `UPDATE account_kit.user_operations SET accepted_at = accepted_at - interval '1 second' WHERE id = $1`,
    [refused.id],
  );
  await world.pool.query(
    'UPDATE account_kit.user_operations SET goes_alone = true WHERE id = ANY($1::uuid[])',
    [[...bundle, victim.id]],
  );
  // The operations were in one transaction, whose nonce was given up.
  await world.pool.query(
    `WITH given_up AS (
       INSERT INTO account_kit.executor_transactions (id, chain_id, executor, nonce, entry_point, data, gas, state, first_block)
       SELECT gen_random_uuid(), chain_id, $2, 0, $3, '', 1, 'final', 0 FROM account_kit.user_operations WHERE id = $4 RETURNING id
     )
     INSERT INTO account_kit.executor_transaction_operations (operation_id, transaction_id)
     SELECT unnest($1::uuid[]), id FROM given_up`,
    [bundle, RECIPIENT, world.contracts.entryPoint08, refused.id],
  );
  await world.startApp(at(node));
  await isRefused(refused);
  await world.untilState('included', [victim]);
  expect(await rowOf(sibling)).toMatchObject({ state: 'signed' });
  expect((await transactionsOf(refused)).some(({ state }) => state === 'pending')).toBe(true);
  await world.stopApps();
  await world.pool.query(
    `UPDATE account_kit.user_operations SET goes_alone = false WHERE id = ANY($1::uuid[])`,
    [bundle],
  );
  await world.startApp();
  await world.untilState('included', [refused, sibling]);
  await node.stop();
});
