import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { HostileNode } from '../support/hostile-node.js';
import { ownerOf } from '../support/seeded-communities.mjs';
import { uniformNode } from '../support/uniform-node.js';
import { until } from '../support/until.js';
import { CheckWorld, userOf } from './check-world.js';
import { CHAIN_ID, seedCommunity } from './seeded-communities.js';

const MEMBERS = 5_000;
const COMMUNITY = 'community_new';
const rule = {
  type: 'ERC721',
  chainId: CHAIN_ID,
  contractAddress: `0x${'c'.repeat(40)}`,
  minToken: '5',
  roleId: 'everybody',
};

/** Statistics of role assignments. They are delayed, but rows read are reported no later than rows inserted. */
const COUNTED = `
  SELECT n_tup_ins::int AS inserted, (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int AS read
  FROM pg_stat_user_tables WHERE schemaname = 'token_gating' AND relname = 'role_assignments'`;

let world: CheckWorld;
let node: HostileNode;

beforeAll(async () => {
  node = await uniformNode(5n);
  world = await CheckWorld.start({ rpcUrl: node.url });
});

afterAll(async () => {
  await world.stop();
  await node.stop();
});

it('T41: role evaluation: does not scan all assignments per member in a community that grew since the last ANALYZE', async () => {
  await world.query('ALTER TABLE token_gating.role_assignments SET (autovacuum_enabled = false)');
  await world.query('ANALYZE');
  await seedCommunity(world.sql, { id: COMMUNITY, members: MEMBERS, rules: [rule] });
  const path = `/communities/${COMMUNITY}/balance-checks`;
  await world.request(userOf(ownerOf(COMMUNITY)), 'POST', path);
  let counted = { inserted: 0, read: 0 };
  await until('all have the role, and are counted', async () => {
    [counted = counted] = await world.query<typeof counted>(COUNTED);
    return counted.inserted === MEMBERS;
  });
  // A page of 1,000 members may read the assignments of earlier pages once.
  expect(counted.read).toBeLessThan(5 * MEMBERS);
});
