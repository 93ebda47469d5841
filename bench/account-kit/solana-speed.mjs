import { setTimeout as sleep } from 'node:timers/promises';
import {
  Connection,
  Keypair,
  PublicKey,
  SystemProgram,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import pg from 'pg';
import { rpc } from '../../scripts/chain/json-rpc.mjs';
import { processorMs } from '../support/processor-time.mjs';
import { first, fixed, median, table } from '../support/table.mjs';

/** @import { AccountKitSuite, Bot, Bots } from '../support/account-kit-suite.mjs' */
/** @typedef {{ publicKey: PublicKey, send: (transaction: VersionedTransaction) => Promise<unknown> }} Payer */
/** @typedef {{ name: string, rounds: number[], processor: number[][], payers: Payer[] }} Side */

const CONCURRENCY = 16;
const ACCOUNTS = 64;
/** Transactions of one account: below the 16 unfinished ones that an account may have. */
const TRANSACTIONS_PER_ACCOUNT = 10;
const COUNT = ACCOUNTS * TRANSACTIONS_PER_ACCOUNT;
const ROUNDS = 9;
const LAMPORTS = 1_000_000_000_000;
const WORKERS = ['gateway', 'account-kit', 'PostgreSQL', 'Solana node'];
/** Rent of the receiver's account and more. */
const AMOUNT = 1_000_000;

/**
 * Transfers that are simulated and then sent with `skipPreflight`, beside web3.js with keys of its own. Both are measured until the node has
 * executed them. Account-kit follows its own until they are final: that it also asks for their statuses within a round counts against it.
 * @param {AccountKitSuite} suite
 */
export async function solanaSpeed({ solanaUrl, databaseUrl, bots, ...suite }) {
  const processes = { ...suite.processes, 'Solana node': suite.solanaProcess };
  const connection = new Connection(solanaUrl, 'processed');
  const sides = [await createLibrarySide(connection, solanaUrl), await createPostedSide(bots)];
  const sql = new pg.Pool({ connectionString: databaseUrl });
  try {
    for (let round = 0; round <= ROUNDS; round += 1)
      for (const side of sides) {
        const before = processorTimes(processes);
        const speed = await measure(connection, side, round);
        const after = processorTimes(processes);
        await finish(sql);
        if (round === 0) continue; // warms up
        side.rounds.push(speed);
        side.processor.push(after.map((ms, index) => (ms - (before[index] ?? NaN)) / COUNT));
      }
  } finally {
    await sql.end();
  }
  const library = first(sides);
  // Each round is compared with that of the library before it: the machine is faster in one minute than in another.
  /** @param {Side} side */
  const ratio = ({ rounds }) => median(rounds.map((speed, index) => speed / (library.rounds[index] ?? NaN)));
  return table(
    `${COUNT} Solana transfers, ${CONCURRENCY} at a time, median of ${ROUNDS} rounds (wanted: at least 0.7; processor ms a transaction)`,
    ['', 'transactions/s', ...['client', ...WORKERS].map((name) => `ms of ${name}`), 'ratio'],
    sides.map((side) => [
      side.name,
      fixed(median(side.rounds), 1),
      ...first(side.processor).map((_, index) =>
        fixed(median(side.processor.map((all) => all[index] ?? NaN)), 2),
      ),
      fixed(ratio(side)),
    ]),
  );
}

/** Milliseconds of this process, and of those that work for a transaction. @param {Record<string, number>} processes */
function processorTimes(processes) {
  const { user, system } = process.cpuUsage();
  return [(user + system) / 1_000, ...WORKERS.map((name) => processorMs([processes[name] ?? NaN]))];
}

/** @param {Connection} connection @param {string} solanaUrl @returns {Promise<Side>} */
async function createLibrarySide(connection, solanaUrl) {
  const keys = Array.from({ length: ACCOUNTS }, () => Keypair.generate());
  for (const { publicKey } of keys) await rpc(solanaUrl, 'requestAirdrop', [publicKey.toBase58(), LAMPORTS]);
  return {
    name: 'web3.js',
    rounds: [],
    processor: [],
    payers: keys.map((key) => ({
      publicKey: key.publicKey,
      send: async (transaction) => {
        transaction.sign([key]);
        const { value } = await connection.simulateTransaction(transaction);
        if (value.err) throw new Error(JSON.stringify(value.err));
        await connection.sendRawTransaction(transaction.serialize(), { skipPreflight: true });
      },
    })),
  };
}

/** @param {Bots} bots @returns {Promise<Side>} */
async function createPostedSide(bots) {
  /** @type {Bot[]} */
  const funded = [];
  for (let index = 0; index < ACCOUNTS; index += 1) funded.push(await bots.fundSolana(String(7_000 + index)));
  return {
    name: 'POST submitTransaction',
    rounds: [],
    processor: [],
    payers: funded.map((bot) => ({
      publicKey: new PublicKey(bot.address),
      send: (transaction) => bots.submitSolana(bot, Buffer.from(transaction.serialize()).toString('base64')),
    })),
  };
}

/**
 * @param {Connection} connection
 * @param {Side} side
 * @param {number} round
 * @returns {Promise<number>} transactions per second until all are executed
 */
async function measure(connection, side, round) {
  const { blockhash } = await connection.getLatestBlockhash();
  const receivers = Array.from({ length: COUNT }, () => Keypair.generate().publicKey);
  const transactions = receivers.map((receiver, index) => {
    const payer = side.payers[index % ACCOUNTS] ?? first(side.payers);
    const transfer = {
      fromPubkey: payer.publicKey,
      toPubkey: receiver,
      lamports: AMOUNT + round * COUNT + index,
    };
    const message = new TransactionMessage({
      payerKey: payer.publicKey,
      recentBlockhash: blockhash,
      instructions: [SystemProgram.transfer(transfer)],
    });
    return { payer, transaction: new VersionedTransaction(message.compileToV0Message()) };
  });
  const started = performance.now();
  const work = async () => {
    for (let next = transactions.pop(); next; next = transactions.pop())
      await next.payer.send(next.transaction);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  await untilReceived(connection, receivers);
  return (COUNT * 1_000) / (performance.now() - started);
}

/** @param {Connection} connection @param {PublicKey[]} receivers */
async function untilReceived(connection, receivers) {
  let missing = receivers;
  while (missing.length > 0) {
    const found = await connection.getMultipleAccountsInfo(missing.slice(0, 100));
    missing = [...missing.slice(0, 100).filter((_, index) => found[index] === null), ...missing.slice(100)];
    if (found.includes(null)) await sleep(20);
  }
}

/** Waits until no transaction of the service is unfinished: an account may have only so many. @param {pg.Pool} sql */
async function finish(sql) {
  const unfinished = `SELECT 1 FROM account_kit.solana_transactions WHERE state NOT IN ('final', 'reverted', 'rejected', 'expired') LIMIT 1`;
  while ((await sql.query(unfinished)).rows.length > 0) await sleep(200);
}
