import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ExecutorWorld, pay } from './executor-world.js';

/** Operations: more than one look at the chain searches for. */
const OLD_OPERATIONS = 1_200;

let world: ExecutorWorld;

beforeAll(async () => {
  world = await ExecutorWorld.start();
});

afterAll(() => world.stop());

it('InclusionTracker: finds a fresh operation of one tenant while 1,200 older ones of another are in no block', async () => {
  const [pattern] = await world.store(await world.sign(await world.fundedOwner(), [pay(1n)], { key: 1n }));
  await world.pool.query(
    `WITH old AS (
       INSERT INTO account_kit.user_operations SELECT (jsonb_populate_record(o, jsonb_build_object('id', gen_random_uuid(),
         'hash', '0x' || md5(number::text) || md5(number::text), 'nonce_key', 1 + number, 'state', 'submitted',
         'accepted_at', now() - interval '1 hour'))).*
       FROM account_kit.user_operations AS o, generate_series(1, $2::int) AS number WHERE o.id = $1 RETURNING id
     )
     INSERT INTO account_kit.bundler_submissions (operation_id, first_block, next_attempt_at) SELECT id, 0, now() FROM old`,
    [pattern?.id, OLD_OPERATIONS],
  );
  await world.sharedApp();
  const operations = await world.store(await world.sign(await world.fundedOwner()));
  const [row] = await world.untilState('included', operations);
  expect(row).toMatchObject({ success: true });
});
