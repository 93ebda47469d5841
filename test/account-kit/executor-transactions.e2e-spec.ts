import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { randomInt } from 'node:crypto';
import fc from 'fast-check';
import type { Hex } from 'viem';
import { MAX_BUNDLE_BYTES } from '../../apps/account-kit/src/user-operations/execution/bundles/bundle-limits.js';
import { MAX_TRANSACTION_GAS } from '../../apps/account-kit/src/evm/estimation/gas-costs.js';
import { forwardTo, HostileNode, reply } from '../support/hostile-node.js';
import { until } from '../support/until.js';
import { ExecutorWorld, pay, RECIPIENT, type StoredOperation } from './executor-world.js';
import { OPERATION_FEES } from './smart-account-owner.js';

let world: ExecutorWorld;

beforeAll(async () => {
  world = await ExecutorWorld.start();
});

afterEach(async () => {
  await world.stopApps();
  await world.chain.client.setAutomine(true);
});

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
    hold_reason: expect.stringMatching(
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

const OVERSIZED = { code: -32_000, message: 'oversized data: transaction size 134201, limit 131072' };

/** A node that refuses transactions as geth does. */
const refusingNode = (isRefused: (raw: string) => boolean) =>
  HostileNode.start(async (request, response) => {
    if (request.method === 'eth_sendRawTransaction' && isRefused(String(request.params[0])))
      reply(response, request.id, { error: OVERSIZED });
    else await forwardTo(world.chain.rpcUrl)(request, response);
  });

const nodeAt = ({ url }: HostileNode) => ({ [`RPC_URL_${world.chain.chainId}`]: url });

interface RefusedTransaction {
  readonly raw: Hex;
  readonly variants: number;
  readonly empty: number;
}

async function refusedTransaction(): Promise<RefusedTransaction | undefined> {
  const { rows } = await world.pool.query<RefusedTransaction>(
    `SELECT '0x' || encode((array_agg(v.raw ORDER BY v.number))[1], 'hex') AS raw, count(*)::int AS variants,
       (count(*) FILTER (WHERE v.is_empty))::int AS empty
     FROM account_kit.executor_transactions AS t
     JOIN account_kit.executor_transaction_variants AS v ON v.transaction_id = t.id
     WHERE t.state = 'pending' AND t.refused_since IS NOT NULL GROUP BY t.id`,
  );
  return rows[0];
}

/** Lets the refusal be as old as it must be before the nonce is taken. */
async function age(): Promise<void> {
  await world.pool.query(
    `UPDATE account_kit.executor_transactions SET refused_since = refused_since - interval '5 minutes'`,
  );
  await world.chain.client.mine({ blocks: 20 });
}

it('executors: an empty bundle takes the nonce of a transaction that every node refuses, also after a restart, and another tenant goes on', async () => {
  let isRefusing = true;
  const node = await refusingNode((raw) => isRefusing && raw.includes('badbadbadbad'));
  // A single executor, whose later nonces wait for the refused one.
  const env = { ...nodeAt(node), EXECUTOR_KEYS: world.executorKeys[0] ?? '' };
  const app = await world.startApp(env);
  const data: Hex = `0x${'bad'.repeat(8)}`;
  const poison = await world.sign(await world.fundedOwner(), [{ target: RECIPIENT, value: 1n, data }]);
  const blocked = await world.store(poison, await world.sign(await world.fundedOwner()));
  await until('the refusal is stored', async () => (await refusedTransaction()) !== undefined);
  const victim = await world.store(await world.sign(await world.fundedOwner()));
  await world.untilState('submitted', victim);
  await app.stop('SIGKILL');
  await world.startApp(env);
  await age();
  await world.untilState('included', victim);
  // A reorganisation could bring back the first variant until the confirmation depth.
  await world.chain.client.mine({ blocks: 5 });
  await world.untilState('submitted', blocked);
  isRefusing = false;
  await world.chain.client.mine({ blocks: 10 });
  await world.untilState('included', blocked);
  // Nodes may refuse the operation again, so neither takes the other with it.
  const { rows } = await world.pool.query<{ together: number }>(
    `SELECT count(*)::int AS together FROM account_kit.executor_transaction_operations
     WHERE transaction_id IN (
       SELECT transaction_id FROM account_kit.executor_transaction_operations WHERE operation_id = ANY($1::uuid[]))
     GROUP BY transaction_id ORDER BY 1`,
    [blocked.map(({ id }) => id)],
  );
  expect(rows.map(({ together }) => together)).toEqual([1, 1, 2]);
  await world.stopApps();
  await node.stop();
});

/** Transactions of earlier tests become final meanwhile, so that no instance follows them with a lease of their executor. */
async function untilEachHasExecutor(instances: number): Promise<void> {
  await until('each instance has an executor', async () => {
    await world.chain.client.mine({ blocks: 1 });
    const { rows } = await world.pool.query<{ holders: number }>(
      `SELECT count(DISTINCT holder)::int AS holders FROM account_kit.chain_leases
       WHERE name LIKE '0x%' AND leased_until > clock_timestamp()`,
    );
    return rows[0]?.holders === instances;
  });
}

it('executors: while nodes refuse a transaction of one instance, the other instance sends all that is signed, and the refused one is sent later', async () => {
  let isRefusing = true;
  const node = await refusingNode((raw) => isRefusing && raw.includes('badbadbadbad'));
  await world.startApp(nodeAt(node));
  await world.startApp(nodeAt(node));
  await untilEachHasExecutor(2);
  const data: Hex = `0x${'bad'.repeat(8)}`;
  const poison = await world.sign(await world.fundedOwner(), [{ target: RECIPIENT, value: 1n, data }]);
  const blocked = await world.store(poison);
  await until('the refusal is stored', async () => (await refusedTransaction()) !== undefined);
  // Either instance may be the first that looks for the next operation.
  for (let index = 0; index < 10; index += 1)
    await world.untilState('included', await world.store(await world.sign(await world.fundedOwner())));
  expect((await world.rows(blocked.map(({ id }) => id)))[0]?.['state']).toBe('submitted');
  isRefusing = false;
  await until('the refused transaction is mined', async () => {
    await world.chain.client.mine({ blocks: 1 });
    const [row] = await world.rows(blocked.map(({ id }) => id));
    return row?.['state'] === 'included' || row?.['state'] === 'final';
  });
  await world.stopApps();
  await node.stop();
});

it('executors: an operation whose refused transaction was mined after all, instead of the empty one, is included once', async () => {
  const node = await refusingNode(() => true);
  await world.startApp(nodeAt(node));
  const operations = await world.store(await world.sign(await world.fundedOwner()));
  await until('the refusal is stored', async () => (await refusedTransaction()) !== undefined);
  await age();
  await until('the empty variant is stored', async () => (await refusedTransaction())?.empty === 1);
  const { raw = '0x' } = (await refusedTransaction()) ?? {};
  await world.chain.client.sendRawTransaction({ serializedTransaction: raw });
  await world.untilState('included', operations);
  await world.chain.client.mine({ blocks: 15 });
  await world.untilState('final', operations);
  await world.stopApps();
  await node.stop();
});

const GWEI = 10n ** 9n;

async function setBaseFee(baseFeePerGas: bigint): Promise<void> {
  await world.chain.client.setNextBlockBaseFeePerGas({ baseFeePerGas });
  await world.chain.client.mine({ blocks: 1 });
}

it('executors: a fee bump goes no higher than operations pay back, and beyond that within EXECUTOR_BUMP_LOSS', async () => {
  const { client, chainId } = world.chain;
  await setBaseFee(GWEI);
  await client.setAutomine(false);
  const app = await world.startApp({ EXECUTOR_BUMP_BLOCKS: '1' });
  const operations = await world.store(await world.sign(await world.fundedOwner()));
  await world.untilState('submitted', operations);
  await until('the bump is held back', async () => {
    await setBaseFee(50n * GWEI);
    return app.logLines.some((line) => line.includes('are not raised'));
  });
  const prices = async () => {
    const { rows } = await world.pool.query<{ max: string }>(
      `SELECT max(v.max_fee_per_gas) AS max FROM account_kit.executor_transaction_variants AS v
       JOIN account_kit.executor_transactions AS t ON t.id = v.transaction_id WHERE t.state = 'pending'`,
    );
    return BigInt(rows[0]?.max ?? 0);
  };
  expect(await prices()).toBeLessThanOrEqual(OPERATION_FEES.maxFeePerGas);
  await world.stopApps();
  const allowed = 10n ** 17n;
  const before = await balances();
  await world.startApp({ EXECUTOR_BUMP_BLOCKS: '1', [`EXECUTOR_BUMP_LOSS_${chainId}`]: String(allowed) });
  await until('a higher variant is stored', async () => (await prices()) > OPERATION_FEES.maxFeePerGas);
  await until('it is mined', async () => {
    await setBaseFee(50n * GWEI);
    const [row] = await world.rows([operations[0]?.id ?? '']);
    return row?.['state'] === 'included' || row?.['state'] === 'final';
  });
  expect(before - (await balances())).toBeLessThan(allowed);
});

async function balances(): Promise<bigint> {
  const all = await Promise.all(world.executors.map((address) => world.chain.client.getBalance({ address })));
  return all.reduce((sum, balance) => sum + balance, 0n);
}

const operationFees = fc.record({
  tip: fc.bigInt({ min: GWEI / 2n, max: 3n * GWEI }),
  base: fc.bigInt({ min: 4n * GWEI, max: 150n * GWEI }),
});

it('executors: are paid back what they pay over random operations, fees and base fees', async () => {
  const seed = randomInt(2 ** 31);
  const fees = fc.sample(operationFees, { numRuns: 40, seed });
  const baseFees = fc.sample(fc.bigInt({ min: GWEI, max: 120n * GWEI }), { numRuns: 10, seed });
  await world.startApp({ EXECUTOR_BUMP_BLOCKS: '1' });
  await setBaseFee(GWEI);
  const before = await balances();
  const operations: StoredOperation[] = [];
  for (const [index, baseFee] of baseFees.entries()) {
    const signed = fees.slice(index * 4, index * 4 + 4).map(async ({ tip, base }) =>
      world.sign(await world.fundedOwner(), [pay(1n)], {
        maxFeePerGas: base + tip,
        maxPriorityFeePerGas: tip,
        preVerificationGas: 60_000n,
      }),
    );
    operations.push(...(await world.store(...(await Promise.all(signed)))));
    await setBaseFee(baseFee);
  }
  await until('all are included', async () => {
    await setBaseFee(GWEI);
    const states = (await world.rows(operations.map(({ id }) => id))).map((row) => row['state']);
    return states.every((state) => state === 'included' || state === 'final');
  }).catch(async (cause: unknown) => {
    const states = (await world.rows(operations.map(({ id }) => id))).map(
      (row) => `${String(row['state'])} ${String(row['reason'])}`,
    );
    throw new Error([`seed ${seed}`, ...new Set(states)].join('\n'), { cause });
  });
  const rows = await world.rows(operations.map(({ id }) => id));
  const paid = rows.reduce((sum, row) => sum + BigInt(String(row['actual_gas_cost'])), 0n);
  const after = await balances();
  expect({ seed, isPaidBack: (before - after) * 100n <= paid }).toEqual({ seed, isPaidBack: true });
});

it('T218: TransactionTracker: a transaction that cannot be followed keeps no later one of its executor from being sent again', async () => {
  const sends = new Map<string, number>();
  const node = await HostileNode.start(async (request, response) => {
    if (request.method === 'eth_sendRawTransaction') {
      const raw = String(request.params[0]);
      sends.set(raw, (sends.get(raw) ?? 0) + 1);
      // No node has it, so each new block asks for it again.
      reply(response, request.id, { result: '0x' });
    } else await forwardTo(world.chain.rpcUrl)(request, response);
  });
  await world.startApp({
    ...nodeAt(node),
    EXECUTOR_KEYS: world.executorKeys[0] ?? '',
    EXECUTOR_BUMP_BLOCKS: '1',
  });
  const rawOf = async ({ id }: StoredOperation) => {
    const { rows } = await world.pool.query<{ id: string; raw: string }>(
      `SELECT v.transaction_id AS id, '0x' || encode(v.raw, 'hex') AS raw FROM account_kit.executor_transaction_operations AS link
       JOIN account_kit.executor_transaction_variants AS v ON v.transaction_id = link.transaction_id AND v.number = 1
       WHERE link.operation_id = $1`,
      [id],
    );
    return rows[0];
  };
  const first = await world.store(await world.sign(await world.fundedOwner()));
  await world.untilState('submitted', first);
  const second = await world.store(await world.sign(await world.fundedOwner()));
  await world.untilState('submitted', second);
  const [broken, followed] = await Promise.all([...first, ...second].map(rawOf));
  // The fees of the broken transaction are due to be raised, and no further variant of it can be stored.
  await world.pool.query(`
    CREATE FUNCTION account_kit.refuse_variant() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$;
    CREATE TRIGGER refuse_variant BEFORE INSERT ON account_kit.executor_transaction_variants
      FOR EACH ROW WHEN (NEW.transaction_id = '${broken?.id ?? ''}') EXECUTE FUNCTION account_kit.refuse_variant();`);
  const before = sends.get(followed?.raw ?? '') ?? 0;
  await until('the later one was sent with several blocks', async () => {
    await world.chain.client.mine({ blocks: 1 });
    return (sends.get(followed?.raw ?? '') ?? 0) > before + 3;
  });
  await world.pool.query('DROP FUNCTION account_kit.refuse_variant() CASCADE');
  await world.stopApps();
  await node.stop();
  await world.startApp();
  await world.untilState('included', [...first, ...second]);
});
