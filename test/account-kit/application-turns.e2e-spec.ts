import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { forwardTo, HostileNode, type NodeRequest } from '../support/hostile-node.js';
import { until } from '../support/until.js';
import { ExecutorWorld, pay, type StoredOperation } from './executor-world.js';

const CONFIRMATIONS = 12;
/** A hundred looks at 50 operations. */
const UNSETTLED = 5_000;
/** Questions about nonces of unsettled operations before those of another application are settled. Without turns they are all asked first. */
const MAX_QUESTIONS = UNSETTLED / 2;
const GET_NONCE = '0x35567e1a';

let world: ExecutorWorld;
let node: HostileNode;
let questions = 0;

beforeAll(async () => {
  world = await ExecutorWorld.start();
});

afterAll(async () => {
  await world.stop();
  await node.stop();
});

/**
 * Stores signed operations that stay as they are, before all others by their ids: each has failed its simulation, follows a nonce that no
 * operation has, and is of an account for which the signer signs nothing.
 */
async function storeUnsettled(clientId: string, count: number): Promise<void> {
  const owner = world.createOwner();
  const [pattern] = await world.store(await world.sign(owner, [pay(1n)], { key: 1n, sequence: 1n }));
  await world.pool.query(
    `UPDATE account_kit.smart_accounts SET key_root_id = 'local:removed' WHERE evm_address = $1`,
    [owner.address],
  );
  await world.pool.query(
    `INSERT INTO account_kit.user_operations SELECT (jsonb_populate_record(o, jsonb_build_object(
       'id', lpad(to_hex(number), 32, '0')::uuid, 'client_id', $2::text, 'hash', '0x' || md5(number::text) || md5(number::text),
       'nonce_key', 1 + number, 'reason', 'AA21 didn''t pay prefund', 'next_attempt_at', now() + interval '1 day',
       'changed_at', now() - interval '1 hour'))).*
     FROM account_kit.user_operations AS o, generate_series(1, $3::int) AS number WHERE o.id = $1`,
    [pattern?.id, clientId, count],
  );
  await world.pool.query('DELETE FROM account_kit.user_operations WHERE id = $1', [pattern?.id]);
}

const lapse = ({ id }: StoredOperation) =>
  world.pool.query(
    `UPDATE account_kit.user_operations SET state = 'stuck', reason = 'lapsed', accepted_at = now() - interval '25 hours'
     WHERE id = $1`,
    [id],
  );

it('T219: ApplicationFairQueue: lanes of one application are repaired after few looks, while 5,000 operations of another one cannot be settled', async () => {
  node = await HostileNode.start((request: NodeRequest, response) => {
    if (JSON.stringify(request).includes(GET_NONCE)) questions += 1;
    return forwardTo(world.chain.rpcUrl)(request, response);
  });
  // An instance with a key root that is missing would not become ready.
  await world.startApp({ [`RPC_URL_${world.chain.chainId}`]: node.url });
  await storeUnsettled('another', UNSETTLED);
  questions = 0;
  const owner = await world.fundedOwner();
  const [lapsed, later, behindGap] = await world.store(
    await world.sign(owner, [pay(1n)]),
    await world.sign(owner, [pay(1n)], { sequence: 1n }),
    await world.sign(await world.fundedOwner(), [pay(1n)], { sequence: 1n }),
  );
  if (!lapsed || !later || !behindGap) throw new Error('nothing was stored');
  await lapse(lapsed);
  const untilStates = (operations: readonly StoredOperation[], ...states: readonly string[]) =>
    until(`all states are ${states.join(' or ')}`, async () => {
      await world.chain.client.mine({ blocks: 1 });
      const rows = await world.rows(operations.map(({ id }) => id));
      return rows.every(({ state }) => states.includes(String(state)));
    });
  await untilStates([behindGap, later], 'included', 'final');
  await world.chain.client.mine({ blocks: CONFIRMATIONS });
  await untilStates([lapsed], 'rejected');
  expect(questions).toBeLessThan(MAX_QUESTIONS);
});
