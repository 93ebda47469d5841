import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { type Address, encodeFunctionData, type Hex, parseTransaction } from 'viem';
import { USER_OPERATION_EVENT } from '../../apps/account-kit/src/evm/operations/parse-user-operation-events.js';
import type { DeployedContract } from '../support/local-chain.js';
import { faultSeed, seededRandom } from '../support/seeded-random.js';
import { until } from '../support/until.js';
import { AccountKitWorld, type Submitted } from './account-kit-world.js';
import { KilledReplica } from './killed-replica.js';

jest.setTimeout(300_000);

const SEED = faultSeed();
const KILLS = 30;
const ACCOUNTS = 6;
/** Clients that send operations of one account at the same time. */
const CLIENTS = 2;
const MAX_MOMENT_MS = 1_200;
const MAX_PAUSE_MS = 300;
const MAX_BLOCK_MS = 300;
/** The share of kills of instances that start: some are killed before they are ready. */
const STARTING_SHARE = 0.2;
const SIGNER_SHARE = 0.25;
const REPEATED_SHARE = 0.3;
const OTHER_LANE_SHARE = 0.25;

interface Counted {
  readonly id: number;
  readonly userId: string;
  /** Hashes in all answers; a single hash if it has one effect. */
  readonly hashes: Set<Hex>;
}

let world: AccountKitWorld;
let counter: DeployedContract;
let replicas: readonly KilledReplica[];
let kills = 0;
let isDone = false;
const counted: Counted[] = [];

beforeAll(async () => {
  world = await AccountKitWorld.start({ EXECUTOR_LEASE_MS: '1000', CONFIRMATIONS_31337: '3' });
  counter = await world.kit.chain.deploy('Counter');
  replicas = await Promise.all([KilledReplica.start(world), KilledReplica.start(world)]);
});

afterAll(() => world.stop());

/** Blocks come at random moments, so that transactions wait. */
async function mine(random: () => number): Promise<void> {
  await world.kit.chain.client.setAutomine(false);
  while (!isDone) {
    await sleep(random() * MAX_BLOCK_MS);
    await world.kit.chain.client.mine({ blocks: 1 });
  }
}

async function killAgainAndAgain(replica: KilledReplica, random: () => number): Promise<void> {
  for (let count = 0; count < KILLS / replicas.length; count += 1) {
    const isStarting = random() < STARTING_SHARE;
    if (!isStarting) await replica.untilReady();
    await sleep(random() * MAX_MOMENT_MS);
    await replica.kill(!isStarting && random() < SIGNER_SHARE ? 'signer' : 'app');
    kills += 1;
    await replica.startAgain();
  }
  await replica.untilReady();
}

/** Sends operations until all kills are done. */
async function countOn(userId: string, random: () => number): Promise<void> {
  while (kills < KILLS) {
    const one: Counted = { id: counted.length, userId, hashes: new Set() };
    counted.push(one);
    await submit(one, random);
    await sleep(random() * MAX_PAUSE_MS);
  }
}

/** Repeats one request until it is answered, at one instance or at both at once. */
async function submit({ id, userId, hashes }: Counted, random: () => number): Promise<void> {
  const data = encodeFunctionData({ ...counter, functionName: 'count', args: [BigInt(id)] });
  const headers = {
    'Idempotency-Key': `count-${id}`,
    ...(random() < OTHER_LANE_SHARE ? { 'X-Nonce-Key': '7' } : {}),
  };
  const request = { body: { target: counter.address, callData: data }, headers };
  const path = `/accountkit/v1/chatbot/evm/submitUserOperation?chainId=${world.kit.chain.chainId}`;
  while (hashes.size === 0) {
    const first = random() < 0.5 ? 0 : 1;
    const asked = random() < REPEATED_SHARE ? replicas : replicas.slice(first, first + 1);
    const responses = await Promise.all(
      asked.map(({ gateway }) => world.call<Submitted>(gateway, path, userId, request)),
    );
    for (const { status, body } of responses)
      if (status === 200) hashes.add(body.userOperationHash);
      else if (!isTemporary(status, body))
        throw new Error(
          `operation ${id} of user ${userId} (FAULT_SEED=${SEED}): ${status} ${JSON.stringify(body)}`,
        );
    await sleep(50);
  }
}

/**
 * Whether a client may ask again: the instance is away, or the account has too many operations, or its first one is not
 * in a block yet.
 */
const isTemporary = (status: number, body: unknown): boolean =>
  [429, 502, 503, 504].includes(status) ||
  (status === 409 && JSON.stringify(body).includes('account_deploying'));

/** The operations on the chain, by how often each was executed. */
async function loadEvents(): Promise<Map<Hex, number>> {
  const logs = await world.kit.chain.client.getLogs({
    event: USER_OPERATION_EVENT,
    fromBlock: 0n,
    strict: true,
  });
  const events = new Map<Hex, number>();
  for (const { args } of logs) events.set(args.userOpHash, (events.get(args.userOpHash) ?? 0) + 1);
  return events;
}

async function loadTransactions() {
  const { rows } = await world.pool.query<{ executor: Address; nonce: number; data: string; raw: Buffer }>(
    `SELECT t.executor, t.nonce::int, encode(t.data, 'hex') AS data, v.raw
     FROM account_kit.executor_transactions AS t
     JOIN account_kit.executor_transaction_variants AS v ON v.transaction_id = t.id`,
  );
  return rows;
}

it(`T140: account-kit: operations have one effect each when two instances are killed at ${KILLS} random moments (FAULT_SEED=${SEED})`, async () => {
  process.stdout.write(`T140 runs with FAULT_SEED=${SEED}\n`);
  const users = Array.from({ length: ACCOUNTS }, (_, index) => String(1 + index));
  const [first] = replicas;
  if (!first) throw new Error('nothing was started');
  for (const user of users) await world.fundedAccount(first, user);

  const mining = mine(seededRandom(SEED));
  const clients = users.flatMap((user) => Array.from({ length: CLIENTS }, () => user));
  await Promise.all([
    ...replicas.map((replica, index) => killAgainAndAgain(replica, seededRandom(SEED + 1 + index))),
    ...clients.map((user, index) => countOn(user, seededRandom(SEED + 100 + index))),
  ]);
  await until('every operation is final', async () => {
    const rows = (await Promise.all(users.map((user) => world.operationsOf(user)))).flat();
    return rows.every(({ state }) => state === 'final' || state === 'rejected');
  });
  isDone = true;
  await mining;

  const rows = (await Promise.all(users.map((user) => world.operationsOf(user)))).flat();
  const executed = rows.filter(({ hash }) => hash !== null);
  // What was never signed was refused, and its request was repeated.
  expect(rows.filter(({ hash, state }) => hash === null && state !== 'rejected')).toEqual([]);
  expect(executed.filter(({ state, success }) => state !== 'final' || success !== true)).toEqual([]);
  expect(counted.map(({ hashes }) => hashes.size)).toEqual(counted.map(() => 1));
  expect(executed.map(({ hash }) => hash).sort()).toEqual(
    counted.flatMap(({ hashes }) => [...hashes]).sort(),
  );

  const client = world.kit.chain.client;
  const read = (functionName: string, args: readonly unknown[] = []) =>
    client.readContract({ ...counter, functionName, args });
  expect(await Promise.all(counted.map(({ id }) => read('counts', [BigInt(id)])))).toEqual(
    counted.map(() => 1n),
  );
  expect(await read('total')).toBe(BigInt(counted.length));
  const events = await loadEvents();
  expect([...events].filter(([, times]) => times !== 1)).toEqual([]);
  expect([...events.keys()].sort()).toEqual(executed.map(({ hash }) => hash).sort());

  expect(await world.hasNoGap()).toBe(true);
  const transactions = await loadTransactions();
  const nonces = new Map<string, Set<string>>();
  for (const { executor, nonce, data, raw } of transactions) {
    expect(parseTransaction(`0x${raw.toString('hex')}`).nonce ?? 0).toBe(nonce);
    nonces.set(data, (nonces.get(data) ?? new Set()).add(`${executor} ${nonce}`));
  }
  expect([...nonces.values()].filter(({ size }) => size > 1)).toEqual([]);
  process.stdout.write(`T140 counted ${counted.length} operations in ${transactions.length} transactions\n`);
  expect(counted.length).toBeGreaterThan(KILLS);
  expect(new Set(transactions.map(({ executor }) => executor)).size).toBe(2);
});
