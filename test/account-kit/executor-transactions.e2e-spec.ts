import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Hex } from 'viem';
import {
  MAX_BUNDLE_BYTES,
  MAX_TRANSACTION_GAS,
} from '../../apps/account-kit/src/executors/bundles/bundle-limits.js';
import { ExecutorWorld, pay, RECIPIENT } from './executor-world.js';

let world: ExecutorWorld;

beforeAll(async () => {
  world = await ExecutorWorld.start();
});

afterEach(() => world.stopApps());

afterAll(() => world.stop());

/** What the executors have signed. */
async function signedTransactions(): Promise<{ gas: number; bytes: number }[]> {
  const { rows } = await world.pool.query<{ gas: number; bytes: number }>(
    `SELECT t.gas::int AS gas, length(v.raw) AS bytes FROM account_kit.executor_transaction_variants AS v
     JOIN account_kit.executor_transactions AS t ON t.id = v.transaction_id`,
  );
  return rows;
}

it('executors: an operation that fits into no transaction waits with a reason, and delays no other account', async () => {
  const large = await world.sign(await world.fundedOwner(), [pay(1n)], { callGasLimit: 40_000_000n });
  const [waiting, victim] = await world.store(large, await world.sign(await world.fundedOwner()));
  await world.sharedApp();
  await world.untilState('included', victim ? [victim] : []);
  const [row] = await world.rows([waiting?.id ?? '']);
  expect(row).toMatchObject({
    state: 'signed',
    reason: expect.stringMatching(
      /^too large: alone in a transaction it needs \d+ gas, and 12000000 are allowed$/,
    ),
  });
});

it('executors: four operations of 32 KiB are sent in transactions that nodes take', async () => {
  const owner = await world.fundedOwner();
  const data: Hex = `0x${'00'.repeat(32 * 1024 - 200)}`;
  const signed = [];
  for (const sequence of [0n, 1n, 2n, 3n])
    signed.push(
      await world.sign(owner, [{ target: RECIPIENT, value: 1n, data }], { sequence, callGasLimit: 400_000n }),
    );
  const operations = await world.store(...signed);
  await world.sharedApp();
  await world.untilState('included', operations);
  for (const { gas, bytes } of await signedTransactions()) {
    expect(bytes).toBeLessThan(MAX_BUNDLE_BYTES + 500);
    expect(gas).toBeLessThanOrEqual(MAX_TRANSACTION_GAS);
  }
});
