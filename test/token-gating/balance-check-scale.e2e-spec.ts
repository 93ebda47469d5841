import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import type { HostileNode } from '../support/hostile-node.js';
import { ownerOf } from '../support/seeded-communities.mjs';
import { uniformNode } from '../support/uniform-node.js';
import { until } from '../support/until.js';
import { CheckWorld, userOf } from './check-world.js';
import { CHAIN_ID, seedCommunity } from './seeded-communities.js';

jest.setTimeout(300_000);

const MEMBERS = 100_000;
const RULES = 5;
const COMMUNITY = 'community_large';
const PATH = `/communities/${COMMUNITY}/balance-checks`;
/** Pages of as many members as 5,000 reads are enough for. */
const PAGES = MEMBERS / (5_000 / RULES);
/** Members who do not yet hold the role that all are granted. */
const NEW = 2_000;
const READS_OF_A_CALL = 500;
/** Transaction control, and the polling statements of sweepers and the outbox. */
const OTHERS =
  /^(START TRANSACTION|COMMIT)|SKIP LOCKED|outbox|token_gating\.(checks|deliveries)|migrations|^SELECT version|callback_keys/;

const HELD = `
  INSERT INTO token_gating.role_assignments (community_id, user_id, role_id)
  SELECT community_id, user_id, 'role_0' FROM token_gating.community_members WHERE community_id = $1
  ORDER BY joined_at OFFSET $2`;

interface Check {
  id: string;
  state: string;
}

let world: CheckWorld;
let node: HostileNode;

beforeAll(async () => {
  node = await uniformNode(5n);
  world = await CheckWorld.start({ rpcUrl: node.url });
  const rules = Array.from({ length: RULES }, (_, index) => ({
    type: 'ERC721',
    chainId: CHAIN_ID,
    contractAddress: `0x${(0xc0_0000 + index).toString(16).padStart(40, '0')}`,
    // Every member owns five tokens of each contract, enough for the first rule.
    minToken: index === 0 ? '5' : '6',
    roleId: `role_${index}`,
  }));
  await seedCommunity(world.sql, { id: COMMUNITY, members: MEMBERS, rules });
  await world.query(HELD, [COMMUNITY, NEW]);
  await world.query('ANALYZE');
}, 180_000);

afterAll(async () => {
  await world.stop();
  await node.stop();
});

/** Checks all members. @returns the statements and node calls */
async function runCheck(): Promise<{ check: unknown; calls: number; statements: string[] }> {
  const owner = userOf(ownerOf(COMMUNITY));
  const callsBefore = node.count('eth_call');
  const from = world.log.statements.length;
  const { id } = (await world.request(owner, 'POST', PATH)).body as Check;
  const lookUp = async () => (await world.request(owner, 'GET', `${PATH}/${id}`)).body as Check;
  // Polls with a connection that does not count statements.
  const isDone = async (): Promise<boolean> => {
    const rows = await world.query<Check>('SELECT state FROM token_gating.balance_checks WHERE id = $1', [
      id,
    ]);
    return rows[0]?.state === 'done';
  };
  await until('done', isDone, 240_000);
  const statements = world.log.statements.slice(from).filter((statement) => !OTHERS.test(statement));
  return { check: await lookUp(), calls: node.count('eth_call') - callsBefore, statements };
}

it('checks 100,000 members by 5 rules within the expected node calls and statements', async () => {
  const { check, calls, statements } = await runCheck();
  expect(check).toMatchObject({ total: MEMBERS, done: MEMBERS, changed: NEW, failed: 0 });
  expect(calls).toBeLessThanOrEqual((1.1 * MEMBERS * RULES) / READS_OF_A_CALL);
  const pagesWithChanges = NEW / (MEMBERS / PAGES);
  // A page with changes also inserts events and looks up callback clients.
  expect(statements.length).toBeLessThanOrEqual(6 * PAGES + 2 * pagesWithChanges + 100);
});
