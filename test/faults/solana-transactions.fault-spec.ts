import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { PublicKey } from '@solana/web3.js';
import { SolanaCluster } from '../../scripts/chain/solana/cluster.mjs';
import { type AccountKitSuite, startAccountKitSuite } from '../account-kit/account-kit-suite.js';
import { BotAccounts } from '../account-kit/solana/bot-accounts.js';
import { queryDatabase } from '../identity/query-database.js';
import { newAddress } from '../support/solana-transactions.js';
import { SolanaNode } from '../support/solana-node.js';
import { until } from '../support/until.js';

const PAYMENTS = 12;
const BOT = '7001';

let cluster: SolanaCluster;
let node: SolanaNode;
let kit: AccountKitSuite;
let bots: BotAccounts;

beforeAll(async () => {
  cluster = new SolanaCluster();
  node = await SolanaNode.start(cluster);
  kit = await startAccountKitSuite({ RPC_URL_8000000000103: node.url });
  bots = new BotAccounts(kit, cluster);
});

afterAll(async () => {
  await kit.stop();
  await node.stop();
});

interface Payment {
  readonly receiver: PublicKey;
  readonly bytes: string;
}

/** Signatures of the payments that were answered, by their bytes. */
async function submitAll(payments: readonly Payment[], signatures: Map<string, Set<string>>): Promise<void> {
  await Promise.all(
    payments.map(async ({ bytes }) => {
      const response = await bots.submit(BOT, bytes);
      if (response.status === 200) {
        const known = signatures.get(bytes) ?? new Set();
        signatures.set(bytes, known.add(response.body.txSignature));
      }
    }),
  );
}

/** Ends account-kit while it works on transactions, and starts it again at the same place. */
async function restart(): Promise<void> {
  const killed = kit.suite.app('account-kit');
  const [port, managementPort] = [killed.url, killed.managementUrl].map((url) => new URL(url).port);
  await killed.stop('SIGKILL');
  await kit.suite.another('account-kit', { PORT: port ?? '', MANAGEMENT_PORT: managementPort ?? '' });
}

it('T130: Solana transactions: account-kit is killed while it accepts, signs and sends Solana transactions', async () => {
  const account = await bots.loadFunded(BOT);
  const payments = Array.from({ length: PAYMENTS }, () => {
    const receiver = newAddress();
    return { receiver, bytes: bots.createPayment(account, receiver) };
  });
  const signatures = new Map<string, Set<string>>();
  // The cluster gets every transaction, but account-kit is never told so.
  node.change = (response, { method }) =>
    method === 'sendTransaction'
      ? { id: response.id, error: { code: -32_005, message: 'Node is behind' } }
      : response;
  const first = submitAll(payments, signatures);
  await until('some payments are accepted', async () => (await countRows()) >= PAYMENTS / 4);
  await restart();
  await first;
  // The gateway finds it again within seconds; clients repeat what failed.
  await until('every payment is answered', async () => {
    await submitAll(payments, signatures);
    return signatures.size === PAYMENTS;
  });
  expect([...signatures.values()].map(({ size }) => size)).toEqual(Array(PAYMENTS).fill(1));
  await until('every payment arrives', () =>
    payments.every(({ receiver }) => bots.balanceOf(receiver) === 7_000_000n),
  );
  expect(bots.balanceOf(account)).toBe(10_000_000_000n - BigInt(PAYMENTS) * 7_005_000n);
  expect(await countRows()).toBe(PAYMENTS);
});

async function countRows(): Promise<number> {
  const rows = await queryDatabase(
    kit.suite.databaseUrl,
    "SELECT 1 FROM account_kit.solana_transactions WHERE state <> 'rejected'",
  );
  return rows.length;
}
