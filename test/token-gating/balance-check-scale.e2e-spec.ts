import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { POAP_CONTRACT } from '@app/dto';
import type { Address } from 'viem';
import { forwardTo, HostileNode, reply } from '../support/hostile-node.js';
import { memberAddress, ownerOf } from '../support/seeded-communities.mjs';
import { uniformNode } from '../support/uniform-node.js';
import { until } from '../support/until.js';
import { CheckWorld, userOf } from './check-world.js';
import { CHAIN_ID, seedCommunity } from './seeded-communities.js';

jest.setTimeout(300_000);

const MEMBERS = 100_000;
const RULES = 5;
const COMMUNITY = 'community_large';
/** Pages of as many members as 5,000 reads are enough for. */
const PAGES = MEMBERS / (5_000 / RULES);
/** Members who do not yet hold the role that all are granted. */
const NEW = 2_000;
const READS_OF_A_CALL = 500;
/** Transaction control, and the polling statements of sweepers, the transfer watcher and the outbox. */
const OTHERS =
  /^(START TRANSACTION|COMMIT)|SKIP LOCKED|outbox|token_gating\.(checks|deliveries)|migrations|^SELECT version|callback_keys|transfer_watchers|polled_contracts|EXISTS \(SELECT FROM token_gating\.community_contracts|sealed_previous_secret = NULL|SELECT DISTINCT client_id AS .clientId. FROM token_gating\.callback_endpoints/;

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
/** Gnosis and Ethereum, with the same contracts. */
let poapNodes: readonly HostileNode[];

beforeAll(async () => {
  node = await uniformNode(5n);
  poapNodes = await Promise.all(['0x64', '0x1'].map(startPoapNode));
  const [RPC_URL_100 = '', RPC_URL_1 = ''] = poapNodes.map(({ url }) => url);
  world = await CheckWorld.start({ rpcUrl: node.url, env: { RPC_URL_100, RPC_URL_1 } });
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
  await Promise.all([node, ...poapNodes].map((started) => started.stop()));
});

/** The local chain with another chain id. */
const startPoapNode = (result: string): Promise<HostileNode> =>
  HostileNode.start((request, response) => {
    if (request.method === 'eth_chainId') reply(response, request.id, { result });
    else return forwardTo(world.node.chain.rpcUrl)(request, response);
  });

async function checkMembers(communityId: string): Promise<unknown> {
  const owner = userOf(ownerOf(communityId));
  const path = `/communities/${communityId}/balance-checks`;
  const { id } = (await world.request(owner, 'POST', path)).body as Check;
  // Polls with a connection that does not count statements.
  const isDone = async (): Promise<boolean> => {
    const rows = await world.query<Check>('SELECT state FROM token_gating.balance_checks WHERE id = $1', [
      id,
    ]);
    return rows[0]?.state === 'done';
  };
  await until('done', isDone, 240_000);
  return (await world.request(owner, 'GET', `${path}/${id}`)).body;
}

/** Checks all members. @returns the statements and node calls */
async function runCheck(): Promise<{ check: unknown; calls: number; statements: string[] }> {
  const callsBefore = node.count('eth_call');
  const from = world.log.statements.length;
  const check = await checkMembers(COMMUNITY);
  const statements = world.log.statements.slice(from).filter((statement) => !OTHERS.test(statement));
  return { check, calls: node.count('eth_call') - callsBefore, statements };
}

it('balance check: checks 100,000 members by 5 rules within the expected node calls and statements', async () => {
  const { check, calls, statements } = await runCheck();
  expect(check).toMatchObject({ total: MEMBERS, done: MEMBERS, changed: NEW, failed: 0 });
  expect(calls).toBeLessThanOrEqual((1.1 * MEMBERS * RULES) / READS_OF_A_CALL);
  const pagesWithChanges = NEW / (MEMBERS / PAGES);
  // A page with changes also inserts events and looks up callback clients.
  expect(statements.length).toBeLessThanOrEqual(6 * PAGES + 2 * pagesWithChanges + 100);
});

it('T81: balance check: determines the POAPs of 1,000 members on two chains within a few node calls', async () => {
  const [members, holders, event] = [1_000, 12, 4_242n];
  const { chain } = world.node;
  const { address, abi } = await chain.deploy('DemoPoap');
  const bytecode = await chain.client.getCode({ address });
  if (!bytecode) throw new Error('DemoPoap has no code');
  await chain.client.setCode({ address: POAP_CONTRACT, bytecode });
  for (let member = 1; member <= 2 * holders; member += 1) {
    const eventId = member <= holders ? event : event + 1n;
    await chain.mint({ address: POAP_CONTRACT, abi }, memberAddress(member) as Address, eventId);
  }
  const rules = [
    { type: 'POAP', eventId: String(event), roleId: 'attendee' },
    // The token is the same on both chains, and counts once.
    { type: 'POAP', eventId: String(event), minToken: '2', roleId: 'regular' },
  ];
  const id = await seedCommunity(world.sql, { id: 'community_poaps', members, rules });
  const countCalls = () => poapNodes.reduce((sum, poapNode) => sum + poapNode.count('eth_call'), 0);
  const before = countCalls();
  const expected = { total: members, done: members, changed: holders, failed: 0 };
  expect(await checkMembers(id)).toMatchObject(expected);
  // Balances of both rules and chains, and one further round.
  expect(countCalls() - before).toBeLessThanOrEqual((4 * members) / READS_OF_A_CALL + 4);
});
