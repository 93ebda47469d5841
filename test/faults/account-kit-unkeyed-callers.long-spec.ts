import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import type { PublicKey } from '@solana/web3.js';
import { encodeFunctionData, type Hex } from 'viem';
import { SolanaCluster } from '../../scripts/chain/solana/cluster.mjs';
import { BotAccounts } from '../account-kit/solana/bot-accounts.js';
import type { DeployedContract } from '../support/local-chain.js';
import { faultSeed, seededRandom } from '../support/seeded-random.js';
import { SolanaNode } from '../support/solana-node.js';
import { newAddress } from '../support/solana-transactions.js';
import { until } from '../support/until.js';
import { AccountKitWorld, type Submitted } from './account-kit-world.js';
import { HeldSignatures } from './held-signatures.js';
import { KilledReplica } from './killed-replica.js';
import { LossyDatabase } from './lossy-database.js';

jest.setTimeout(600_000);

const SEED = faultSeed();
const FAULTS = 24;
const EVM_CALLERS = 30;
const SOLANA_CALLERS = 6;
/**
 * The shares of faults: so many kill a process at a random moment, and so many between a signature and its answer; the
 * others end all sessions of the database.
 */
const KILL_SHARE = 0.3;
const SIGNED_KILL_SHARE = 0.4;
const SIGNER_SHARE = 0.3;
/** The time for which a kill waits for a signature. */
const SIGNATURE_MS = 5_000;
const MAX_BETWEEN_FAULTS_MS = 3_000;
/** The answers to so many messages to PostgreSQL are lost. A request sends about five. */
const LOST_SHARE = 0.03;
const MAX_PAUSE_MS = 200;
const MAX_BLOCK_MS = 300;
/** The time that the guide tells callers without a key to wait before they look at the list. */
const GUIDE_WAIT_MS = 30_000;
/** A bound against hanging: processes start again and again meanwhile. */
const SETTLED_MS = 180_000;
const LAMPORTS = 7_000_000n;

interface Caller {
  readonly userId: string;
  /** All operations that the caller knows. */
  readonly known: Set<Hex>;
}

let world: AccountKitWorld;
let counter: DeployedContract;
let cluster: SolanaCluster;
let node: SolanaNode;
let databases: readonly LossyDatabase[] = [];
let replicas: readonly KilledReplica[];
let bots: BotAccounts;
let signatures: HeldSignatures;
let isStorming = true;
let isMining = true;
let payments = 0;
/** Requests whose caller does not know what has become of them, and how many of them had been signed. */
const doubts = { all: 0, signed: 0 };

beforeAll(async () => {
  cluster = new SolanaCluster();
  node = await SolanaNode.start(cluster);
  const env = { RPC_URL_8000000000103: node.url };
  world = await AccountKitWorld.start({ EXECUTOR_LEASE_MS: '1000', CONFIRMATIONS_31337: '3', ...env });
  counter = await world.kit.chain.deploy('Counter');
  const { databaseUrl } = world.kit.suite;
  databases = [await LossyDatabase.start(databaseUrl), await LossyDatabase.start(databaseUrl)];
  replicas = await Promise.all(
    databases.map(({ url }) => KilledReplica.start(world, { ...env, DATABASE_URL: url })),
  );
  bots = new BotAccounts(world.kit, cluster);
  signatures = await HeldSignatures.create(world.pool);
});

afterAll(async () => {
  await world.stop();
  await Promise.all(databases.map((database) => database.stop()));
  await node.stop();
});

async function mine(random: () => number): Promise<void> {
  const { client } = world.kit.chain;
  await client.setAutomine(false);
  while (isMining) {
    await sleep(random() * MAX_BLOCK_MS);
    await client.mine({ blocks: 1 });
  }
}

/** Kills processes, ends sessions of the database, and loses its answers. */
async function storm(index: number, random: () => number): Promise<void> {
  const [replica, database] = [replicas[index], databases[index]];
  if (!replica || !database) throw new RangeError('there is no such replica');
  database.isLost = () => random() < LOST_SHARE;
  for (let fault = 0; fault < FAULTS / replicas.length; fault += 1) {
    await sleep(random() * MAX_BETWEEN_FAULTS_MS);
    const draw = random();
    const { exitCode } = replica.app.process;
    if (exitCode !== null)
      throw new Error(
        `the instance has ended with ${exitCode}:\n${replica.app.logLines.slice(-15).join('\n')}`,
      );
    if (draw < KILL_SHARE) {
      await replica.kill(draw < KILL_SHARE * SIGNER_SHARE ? 'signer' : 'app');
      await replica.startAgain();
      await replica.untilReady();
    } else if (draw < KILL_SHARE + SIGNED_KILL_SHARE) {
      await signatures.untilHeld(database.ports, SIGNATURE_MS);
      await replica.kill('app');
      await replica.startAgain();
      await replica.untilReady();
    } else await endSessions(database);
  }
  database.isLost = () => false;
  await replica.untilReady();
}

const endSessions = ({ ports }: LossyDatabase) =>
  world.pool.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE client_port = ANY($1::int[])',
    [ports],
  );

/** Makes one payment after the other while there are faults, each as the guide says for callers without a key. */
async function payAgainAndAgain(userId: string, random: () => number): Promise<number[]> {
  const caller: Caller = { userId, known: new Set() };
  const ids: number[] = [];
  while (isStorming) {
    const id = (payments += 1);
    ids.push(id);
    await payOnce(caller, id, random);
    await sleep(random() * MAX_PAUSE_MS);
  }
  return ids;
}

async function payOnce(caller: Caller, id: number, random: () => number): Promise<void> {
  const data = encodeFunctionData({ ...counter, functionName: 'count', args: [BigInt(id)] });
  const path = `/accountkit/v1/chatbot/evm/submitUserOperation?chainId=${world.kit.chain.chainId}`;
  const body = { target: counter.address, callData: data };
  for (;;) {
    const { status, body: answer } = await world.call<Submitted>(pickGateway(random), path, caller.userId, {
      body,
    });
    if (status === 200) {
      caller.known.add(answer.userOperationHash);
      return;
    }
    if (status < 500 && !isWaiting(status, answer))
      throw new Error(
        `payment ${id} of user ${caller.userId} (FAULT_SEED=${SEED}): ${JSON.stringify(answer)}`,
      );
    if (status < 500) await sleep(MAX_PAUSE_MS);
    else if (await wasSigned(caller, random)) return;
  }
}

const pickGateway = (random: () => number) => {
  const replica = replicas[random() < 0.5 ? 0 : 1];
  if (!replica) throw new RangeError('there is no replica');
  return replica.gateway;
};

/** The account has too many operations, or its first one is not in a block yet. Nothing was accepted. */
const isWaiting = (status: number, body: unknown): boolean =>
  status === 429 || (status === 409 && JSON.stringify(body).includes('account_deploying'));

/** Waits, and looks whether the list has an operation that the caller does not know. */
async function wasSigned({ userId, known }: Caller, random: () => number): Promise<boolean> {
  doubts.all += 1;
  await sleep(GUIDE_WAIT_MS);
  for (;;) {
    const path = '/accountkit/v2/platform/operations?platform=chat&limit=100';
    const { status, body } = await world.call<{ items: { userOpHash: Hex; kind: string }[] }>(
      pickGateway(random),
      path,
      userId,
      { headers: { 'X-ACCESS-TOKEN': world.kit.platforms.botToken(userId) } },
    );
    if (status === 200) {
      const fresh = body.items
        .filter(({ userOpHash, kind }) => kind !== 'cancellation' && !known.has(userOpHash))
        .map(({ userOpHash }) => userOpHash);
      for (const hash of fresh) known.add(hash);
      doubts.signed += fresh.length;
      expect(fresh.length).toBeLessThanOrEqual(1);
      return fresh.length === 1;
    }
    await sleep(MAX_PAUSE_MS);
  }
}

/** Repeats the same bytes until they are answered. @returns lamports that were received, and that should have been */
async function payOnSolana(
  userId: string,
  account: PublicKey,
  random: () => number,
): Promise<[bigint, bigint][]> {
  const receivers: PublicKey[] = [];
  while (isStorming) {
    const receiver = newAddress();
    receivers.push(receiver);
    const bytes = bots.createPayment(account, receiver);
    await until(
      `the payment to ${receiver.toBase58()} is answered`,
      async () => {
        const path = '/accountkit/v1/chatbot/solana/submitTransaction?network=SOL_DEVNET';
        const body = { serializedTransactionBase64: bytes };
        const { status, body: answer } = await world.call(pickGateway(random), path, userId, { body });
        if (status >= 400 && status < 500 && status !== 429) throw new Error(JSON.stringify(answer));
        return status === 200;
      },
      SETTLED_MS,
    );
    await sleep(random() * MAX_PAUSE_MS);
  }
  const hasArrived = () => receivers.every((receiver) => bots.balanceOf(receiver) > 0n);
  await until('every payment arrives', hasArrived, SETTLED_MS);
  return receivers.map((receiver) => [bots.balanceOf(receiver), LAMPORTS]);
}

it(`account-kit: callers without idempotency keys who follow the guide pay once, among ${FAULTS} kills and failovers, and lost COMMITs (FAULT_SEED=${SEED})`, async () => {
  process.stdout.write(`account-kit-unkeyed-callers runs with FAULT_SEED=${SEED}\n`);
  const [first] = replicas;
  if (!first) throw new Error('nothing was started');
  const users = Array.from({ length: EVM_CALLERS }, (_, index) => String(6_001 + index));
  for (const user of users) await world.fundedAccount(first, user);
  const solanaUsers = Array.from({ length: SOLANA_CALLERS }, (_, index) => String(6_501 + index));
  const solanaAccounts = await Promise.all(solanaUsers.map((user) => bots.loadFunded(user)));
  const mining = mine(seededRandom(SEED));

  const storms = replicas.map((_, index) => storm(index, seededRandom(SEED + 1 + index)));
  const paying = users.map((user, index) => payAgainAndAgain(user, seededRandom(SEED + 100 + index)));
  const payingOnSolana = solanaAccounts.map((account, index) =>
    payOnSolana(solanaUsers[index] ?? '', account, seededRandom(SEED + 500 + index)),
  );
  await Promise.all(storms);
  isStorming = false;
  const ids = (await Promise.all(paying)).flat();
  const received = (await Promise.all(payingOnSolana)).flat();
  await until(
    'every operation has ended',
    async () => {
      const { rows } = await world.pool.query(
        "SELECT FROM account_kit.user_operations WHERE state NOT IN ('final', 'reverted', 'rejected', 'expired')",
      );
      return rows.length === 0;
    },
    SETTLED_MS,
  );
  isMining = false;
  await mining;

  const counts = await Promise.all(
    ids.map((id) =>
      world.kit.chain.client.readContract({ ...counter, functionName: 'counts', args: [BigInt(id)] }),
    ),
  );
  const { all, signed } = doubts;
  process.stdout.write(
    `${ids.length} payments on EVM, ${received.length} on Solana; ${all} requests in doubt, ${signed} of them signed\n`,
  );
  expect(
    counts.map((count, index) => ({ id: ids[index], count })).filter(({ count }) => count !== 1n),
  ).toEqual([]);
  expect(received.filter(([actual, wanted]) => actual !== wanted)).toEqual([]);
  // A run that met neither kind of doubt has shown nothing.
  expect(all).toBeGreaterThan(signed);
  expect(signed).toBeGreaterThan(0);
});
