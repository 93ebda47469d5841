import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { reply } from '../support/hostile-node.js';
import { until } from '../support/until.js';
import { BundlerStandIn } from './bundler-stand-in.js';
import { ExecutorWorld, pay, type StoredOperation } from './executor-world.js';

const APPLICATIONS = 10;
const OPERATIONS = 1_000;

let world: ExecutorWorld;
let bundler: BundlerStandIn;

beforeAll(async () => {
  world = await ExecutorWorld.start();
  bundler = await BundlerStandIn.start(world.chain);
});

afterEach(() => world.stopApps());

afterAll(async () => {
  await world.stop();
  await bundler.stop();
});

const startApp = () => world.startApp({ [`BUNDLER_URL_${world.chain.chainId}`]: bundler.url });

async function storeOne(): Promise<StoredOperation> {
  const [stored] = await world.store(await world.sign(await world.fundedOwner(), [pay(1n)]));
  if (!stored) throw new Error('nothing was stored');
  return stored;
}

/** Stores copies of an operation that a bundler was sent, of several applications. All come before it by the time when they are due. */
async function storeSubmitted({ id }: StoredOperation, acceptedAgo: string): Promise<void> {
  await world.pool.query(
    `INSERT INTO account_kit.user_operations SELECT (jsonb_populate_record(o, jsonb_build_object(
       'id', gen_random_uuid(), 'client_id', 'another ' || number % $2, 'hash', '0x' || md5(number::text) || md5(number::text),
       'nonce_key', 1 + number, 'state', 'submitted', 'accepted_at', now() - $4::interval - interval '1 minute'))).*
     FROM account_kit.user_operations AS o, generate_series(1, $3::int) AS number WHERE o.id = $1`,
    [id, APPLICATIONS, OPERATIONS, acceptedAgo],
  );
  await world.pool.query(
    `UPDATE account_kit.user_operations SET state = 'submitted', accepted_at = now() - $2::interval WHERE id = $1`,
    [id, acceptedAgo],
  );
  await world.pool.query(
    `INSERT INTO account_kit.bundler_submissions (operation_id, first_block, next_attempt_at)
     SELECT o.id, 0, now() - CASE WHEN o.id = $1 THEN interval '1 second' ELSE interval '1 hour' END
     FROM account_kit.user_operations AS o WHERE o.state = 'submitted' ON CONFLICT DO NOTHING`,
    [id],
  );
}

const deleteOthers = () =>
  world.pool.query(
    `WITH submissions AS (DELETE FROM account_kit.bundler_submissions), events AS (DELETE FROM account_kit.outbox)
     DELETE FROM account_kit.user_operations WHERE client_id LIKE 'another %'`,
  );

it('T232: BundlerSubmissionRepository: sends the operation of one application again after a few of each other one, of which 1,000 are due before it', async () => {
  const victim = await storeOne();
  await storeSubmitted(victim, '1 hour');
  const senders: string[] = [];
  let position = -1;
  bundler.intercept = ({ id, params }, response) => {
    const [{ nonce }] = params as [{ nonce: string }];
    if (BigInt(nonce) >> 64n === 0n) position = senders.length;
    senders.push(nonce);
    reply(response, id, { result: victim.hash });
    return true;
  };
  await startApp();
  await until('the operation is sent again', () => position >= 0);
  // The second group of eight has it.
  expect(position).toBeLessThan(2 * 8);
  bundler.intercept = undefined;
  await world.stopApps();
  await deleteOthers();
});

it('T232: OperationQueue: ends the day of an operation of one application with the first ones of each other one, of which 1,000 are older', async () => {
  const victim = await storeOne();
  await storeSubmitted(victim, '25 hours');
  await startApp();
  await until('the operation has lapsed', async () => {
    const [row] = await world.rows([victim.id]);
    return row?.['reason'] === 'lapsed';
  });
  const { rows } = await world.pool.query<{ earlier: number }>(
    `SELECT count(*)::int AS earlier FROM account_kit.user_operations AS o
     WHERE o.reason = 'lapsed' AND o.changed_at < (SELECT changed_at FROM account_kit.user_operations WHERE id = $1)`,
    [victim.id],
  );
  expect(rows[0]?.earlier).toBeLessThanOrEqual(200);
  await until('all have lapsed', async () => {
    const { rows: left } = await world.pool.query(
      `SELECT FROM account_kit.user_operations WHERE state = 'submitted' LIMIT 1`,
    );
    return left.length === 0;
  });
});
