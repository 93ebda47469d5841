import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { MINUTE_MS } from '@app/common';
import { forwardTo, HostileNode, reply } from '../support/hostile-node.js';
import { until } from '../support/until.js';
import { BundlerStandIn } from './bundler-stand-in.js';
import { ExecutorWorld, pay, type StoredOperation } from './executor-world.js';

/** More than are sent before the claim of the first of them has ended, so that there is always one to send. */
const HANGING = 400;

let world: ExecutorWorld;
let bundler: BundlerStandIn;
const nodes: HostileNode[] = [];

beforeAll(async () => {
  world = await ExecutorWorld.start();
  bundler = await BundlerStandIn.start(world.chain);
});

afterEach(async () => {
  await world.stopApps();
  for (const node of nodes.splice(0)) await node.stop();
  bundler.intercept = undefined;
  bundler.isBundling = true;
  await world.chain.client.setAutomine(true);
});

afterAll(async () => {
  await world.stop();
  await bundler.stop();
});

const atBundler = () => ({ [`BUNDLER_URL_${world.chain.chainId}`]: bundler.url });

async function serve(behaviour: Parameters<typeof HostileNode.start>[0]): Promise<Record<string, string>> {
  const node = await HostileNode.start(behaviour);
  nodes.push(node);
  return { [`RPC_URL_${world.chain.chainId}`]: node.url };
}

async function storeOne(...signed: Parameters<ExecutorWorld['sign']>): Promise<StoredOperation> {
  const [stored] = await world.store(await world.sign(...signed));
  if (!stored) throw new Error('nothing was stored');
  return stored;
}

/** Stores a copy of an operation as the cancellation of its nonce. Nobody has signed it, so the bundler refuses it. */
async function storeCancellation({ id }: StoredOperation): Promise<bigint> {
  const { rows } = await world.pool.query<{ fee: string }>(
    `INSERT INTO account_kit.user_operations SELECT (jsonb_populate_record(o, jsonb_build_object(
       'id', gen_random_uuid(), 'kind', 'cancellation', 'cancellation_number', 1, 'hash', '0x' || md5(o.hash) || md5(o.hash),
       'max_fee_per_gas', o.max_fee_per_gas + 1, 'next_attempt_at', null))).*
     FROM account_kit.user_operations AS o WHERE o.id = $1 RETURNING max_fee_per_gas::text AS fee`,
    [id],
  );
  return BigInt(rows[0]?.fee ?? 0);
}

it('BundlerSender: does not send an operation that was cancelled after its claim', async () => {
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  let isHolding = false;
  let isAsked = false;
  // The sender asks for the newest block between the claim and the first operation.
  const env = await serve(async (request, response) => {
    if (isHolding && request.method === 'eth_blockNumber') {
      isAsked = true;
      await held;
    }
    await forwardTo(world.chain.rpcUrl)(request, response);
  });
  await world.startApp({ ...atBundler(), ...env, RPC_TIMEOUT_MS: '10000' });
  const owner = await world.fundedOwner();
  isHolding = true;
  const operation = await storeOne(owner);
  await until('the operation is claimed', () => isAsked);
  const fee = await storeCancellation(operation);
  release();
  await until('the bundler gets the cancellation', () =>
    bundler.received.some(
      ({ operation: { sender, maxFeePerGas } }) =>
        sender.toLowerCase() === operation.owner.address.toLowerCase() && maxFeePerGas === fee,
    ),
  );
  expect(bundler.received.map(({ hash }) => hash)).not.toContain(operation.hash);
  expect((await world.rows([operation.id]))[0]).toMatchObject({ state: 'signed' });
  await world.pool.query('DELETE FROM account_kit.bundler_submissions');
  await world.pool.query(`UPDATE account_kit.user_operations SET state = 'rejected' WHERE sender = $1`, [
    operation.owner.address,
  ]);
});

it.each([
  { name: 'is lost while it sends', leaseMs: 2_000 },
  { name: 'is never lost', leaseMs: 10 * MINUTE_MS },
])(
  'T233: ChainBundlerWorker: finds an operation in its block while the bundler hangs for 400 others, where its lease $name',
  async ({ leaseMs }) => {
    const signed = [];
    for (let index = 0; index < HANGING; index += 1) signed.push(await world.sign(world.createOwner()));
    const hanging = await world.store(...signed);
    const victim = await storeOne(await world.fundedOwner());
    await world.pool.query(`UPDATE account_kit.user_operations SET client_id = 'victim' WHERE id = $1`, [
      victim.id,
    ]);
    const senders = new Set(hanging.map(({ owner }) => owner.address.toLowerCase()));
    bundler.intercept = ({ params }) => {
      const [{ sender }] = params as [{ sender: string }];
      return senders.has(sender.toLowerCase());
    };
    await world.startApp({ ...atBundler(), EXECUTOR_LEASE_MS: String(leaseMs), RPC_TIMEOUT_MS: '4000' });
    await world.untilState('included', [victim]);
    await world.stopApps();
    await world.pool.query('DELETE FROM account_kit.bundler_submissions WHERE operation_id <> $1', [
      victim.id,
    ]);
    await world.pool.query(
      `UPDATE account_kit.user_operations SET state = 'rejected' WHERE client_id = 'client'`,
    );
  },
);

/** Stores an operation of another application that a bundler was sent, before an instance starts. */
async function storeSubmitted(): Promise<StoredOperation> {
  const operation = await storeOne(await world.fundedOwner());
  await world.pool.query(
    `WITH submitted AS (UPDATE account_kit.user_operations SET state = 'submitted', client_id = 'victim' WHERE id = $1)
     INSERT INTO account_kit.bundler_submissions (operation_id, first_block, next_attempt_at) VALUES ($1, 0, now() + interval '1 hour')`,
    [operation.id],
  );
  return operation;
}

it.each([
  { name: 'the bundler hangs for those that are sent for the first time', isHanging: true },
  { name: 'the node tells no block for those that are sent for the first time', isHanging: false },
])('T235: BundlerSender: sends an operation again while $name', async ({ isHanging }) => {
  let isAway = false;
  let failures = 0;
  const env = await serve(async (request, response) => {
    if (isAway && request.method === 'eth_blockNumber') {
      failures += 1;
      reply(response, request.id, { error: { code: -32_603, message: 'no block' } });
    } else await forwardTo(world.chain.rpcUrl)(request, response);
  });
  const victim = await storeSubmitted();
  // A group of requests that hang lasts longer than a round.
  await world.startApp({ ...atBundler(), ...env, RPC_TIMEOUT_MS: '6000' });
  const signed = [];
  for (let index = 0; index < HANGING; index += 1) signed.push(await world.sign(world.createOwner()));
  const senders = new Set(signed.map(({ owner }) => owner.address.toLowerCase()));
  bundler.intercept = ({ params }) => {
    const [{ sender }] = params as [{ sender: string }];
    const isFirst = senders.has(sender.toLowerCase());
    if (isFirst) failures += 1;
    return isFirst;
  };
  isAway = !isHanging;
  await world.store(...signed);
  await until('first ones fail', () => failures > 0);
  await world.pool.query(
    'UPDATE account_kit.bundler_submissions SET next_attempt_at = now() WHERE operation_id = $1',
    [victim.id],
  );
  await until('it is sent again', () => bundler.received.some(({ hash }) => hash === victim.hash));
  isAway = false;
  await world.stopApps();
  await world.pool.query('DELETE FROM account_kit.bundler_submissions');
  await world.pool.query(`UPDATE account_kit.user_operations SET state = 'rejected'`);
});

it.each([{ sender: 'executors' }, { sender: 'a bundler' }])(
  'T234: OperationTrackers: fill the gap of a lane with $sender while the node serves no logs',
  async ({ sender }) => {
    const env = await serve(async (request, response) => {
      if (request.method === 'eth_getLogs')
        reply(response, request.id, { error: { code: -32_603, message: 'logs are not available' } });
      else await forwardTo(world.chain.rpcUrl)(request, response);
    });
    const funded = [await world.fundedOwner(), await world.fundedOwner()];
    bundler.isBundling = false;
    if (sender === 'executors') await world.chain.client.setAutomine(false);
    const [searched, behindGap] = await world.store(
      await world.sign(funded[0] ?? world.createOwner()),
      await world.sign(funded[1] ?? world.createOwner(), [pay(1n)], { sequence: 1n }),
    );
    if (!searched || !behindGap) throw new Error('nothing was stored');
    await world.startApp({ ...env, ...(sender === 'executors' ? {} : atBundler()) });
    await world.untilState('submitted', [searched]);
    await until('the gap is filled', async () => {
      const { rows } = await world.pool.query(
        `SELECT FROM account_kit.user_operations WHERE sender = $1 AND kind = 'cancellation' AND hash IS NOT NULL`,
        [behindGap.owner.address],
      );
      return rows.length > 0;
    });
  },
);
