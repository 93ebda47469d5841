import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createPostgresBackend, Queue } from 'bullmq';
import { StatementLog } from '../support/statement-log.js';
import { until } from '../support/until.js';
import { asUser, RolesWorld } from './roles-world.js';
import { eoa } from './wallet-book.js';

const MEMBERS = 500;
const WHOLE = 10n ** 18n;
/** Statements of an evaluation, without the polling of sweepers. */
const EVALUATION =
  /^(?!.*SKIP LOCKED).*token_gating\.(communities|community_members|role_assignments|community_roles|community_clients)/s;

let log: StatementLog;
let world: RolesWorld;
let memberChecks: Pick<Queue, 'add' | 'getJobCounts' | 'close'>;
let community: string;
const users = Array.from({ length: MEMBERS }, (_, n) => `user_${n}`);

beforeAll(async () => {
  world = await RolesWorld.start({}, async (databaseUrl) => {
    log = await StatementLog.start(databaseUrl);
    return log.url;
  });
  memberChecks = new Queue(
    'member-checks',
    { connection: { connectionString: world.gating.databaseUrl, schema: 'queue', max: 2 } },
    createPostgresBackend,
  );
  const rich = await world.wallet(WHOLE);
  // Every member has an empty wallet, and every second one also the wallet with tokens.
  for (const [n, user] of users.entries())
    world.book.set(user, eoa(await world.wallet()), ...(n % 2 === 0 ? [eoa(rich)] : []));
  const rules = [world.holds('1', { roleId: 'whale' }), { roleId: 'fish', not: world.holds('1') }];
  community = await world.communities.create({ roles: ['whale', 'fish'], rules, members: users });
});

afterAll(async () => {
  await memberChecks.close();
  await world.stop();
  await log.stop();
});

/** Checks members. @returns the statements and the number of node calls */
async function runCheck(userIds: string[]): Promise<{ statements: string[]; calls: number }> {
  const [from, calls] = [log.statements.length, world.gated.node.count('eth_call')];
  const [{ now } = { now: '' }] = await world.communities.query<{ now: string }>(
    'SELECT clock_timestamp()::text AS now',
  );
  const id = randomUUID();
  const job = { version: 1, id, communityId: community, userIds };
  await memberChecks.add('member-checks', job, { jobId: id, removeOnComplete: true });
  await until('all are evaluated', async () => {
    const [left] = await world.communities.query<{ count: string }>(
      `SELECT count(*) FROM token_gating.community_members
       WHERE user_id = ANY($1) AND (evaluated_at IS NULL OR evaluated_at < $2)`,
      [userIds, now],
    );
    return left?.count === '0';
  });
  return { statements: log.matching(EVALUATION, from), calls: world.gated.node.count('eth_call') - calls };
}

it('member check: checks 500 members in as many statements as one, and reads full Multicall chunks', async () => {
  const first = await runCheck(users);
  const assignments = await world.communities.assignments(community);
  expect(assignments).toHaveLength(MEMBERS);
  expect(assignments.filter((one) => one.endsWith('whale'))).toHaveLength(MEMBERS / 2);
  expect(await world.events.of(community)).toHaveLength(MEMBERS);
  // Load, rules, claim and assign; and the callback clients and the endpoints that listen, because roles changed.
  expect(first.statements).toHaveLength(6);
  // 500 empty wallets, the shared one and the decimals of the token: a little more than one chunk.
  expect(first.calls).toBeLessThanOrEqual(3);

  const again = await runCheck(users);
  expect(again.statements).toHaveLength(4);
  const one = await runCheck(users.slice(0, 1));
  expect(one.statements).toHaveLength(4);
  expect(await world.events.of(community)).toHaveLength(MEMBERS);
});

it('member check: responds with the roles of one member after two statements when nothing has changed', async () => {
  const from = log.statements.length;
  expect((await world.roles(community, 'user_0', asUser('user_0'))).status).toBe(200);
  // The community with the member; then the revision of the rules with the stored roles.
  expect(log.matching(EVALUATION, from)).toHaveLength(2);
});

it('member check: checks members with many roles in batches', async () => {
  const roles = Array.from({ length: 50 }, (_, n) => `role_${n}`);
  // The members have no wallet, so no chain is read.
  const members = users.map((user) => `poor_${user}`);
  const rules = roles.map((roleId) => world.holds('1', { roleId }));
  community = await world.communities.create({ roles, rules, members });
  const { statements, calls } = await runCheck(members);
  // Load, rules, claim and assign, for 400 members and for 100.
  expect(statements).toHaveLength(8);
  expect(calls).toBe(0);
});
