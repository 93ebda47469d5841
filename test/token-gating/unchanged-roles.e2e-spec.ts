import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Principal } from '@app/auth';
import type { RunningApp } from '../support/running-app.js';
import { HostileNode } from '../support/hostile-node.js';
import { StatementLog } from '../support/statement-log.js';
import { until } from '../support/until.js';
import { asClient, asUser, RolesWorld } from './roles-world.js';
import { RowLock } from './row-lock.js';
import { eoa } from './wallet-book.js';

const WHOLE = 10n ** 18n;
/** Statements of requests for roles, without the polling of sweepers. */
const EVALUATION =
  /^(?!.*SKIP LOCKED).*token_gating\.(communities|community_members|role_assignments|community_roles|announced_evaluations)/s;
const granted = (...ids: string[]) => ({ roles: ids.map((id) => ({ id, granted: true })) });
const denied = (...ids: string[]) => ({ roles: ids.map((id) => ({ id, granted: false })) });

/** A chain whose node never answers. */
const SILENT_CHAIN = 1;

let silent: HostileNode;
let log: StatementLog;
let world: RolesWorld;
let other: RunningApp;
let users = 0;

beforeAll(async () => {
  // A hanging node takes all the time of a request, instead of failing before.
  silent = await HostileNode.start(() => undefined);
  const env = { RPC_TIMEOUT_MS: '10000', [`RPC_URL_${SILENT_CHAIN}`]: silent.url };
  world = await RolesWorld.start(env, async (databaseUrl) => {
    log = await StatementLog.start(databaseUrl);
    return log.url;
  });
  other = await world.gating.another();
}, 120_000);

afterAll(async () => {
  await world.stop();
  await log.stop();
  await silent.stop();
});

/** A member who holds a token and the role `whale`, and whose roles were requested from both instances. */
async function settledMember() {
  const userId = `user_${++users}`;
  const address = await world.wallet(WHOLE);
  world.book.set(userId, eoa(address));
  const id = await world.communities.create({
    roles: ['whale'],
    rules: [world.holds('1', { roleId: 'whale', maxToken: '1' })],
    members: [userId],
    clients: ['client_attached'],
  });
  const ask = (as: Principal = asUser(userId), app = world.gating.app) =>
    world.gating.request('GET', `/access-control/${id}/${userId}/roles`, undefined, {}, as, app);
  for (const app of [world.gating.app, other])
    expect((await ask(asClient('client_attached'), app)).body).toEqual(granted('whale'));
  return { id, userId, address, ask };
}

const query = (sql: string, ...parameters: unknown[]) => world.communities.query(sql, parameters);

describe('roles that have not changed', () => {
  it('roles that have not changed: are answered by two statements that write no row', async () => {
    const { id, userId, ask } = await settledMember();
    const rowsOf = `SELECT m.xmin::text AS member, m.evaluated_at::text AS evaluated, a.xmin::text AS assignment
      FROM token_gating.community_members m JOIN token_gating.role_assignments a USING (community_id, user_id)
      WHERE community_id = $1 AND user_id = $2`;
    const before = await query(rowsOf, id, userId);
    const from = log.statements.length;
    for (let times = 0; times < 5; times += 1) expect((await ask()).body).toEqual(granted('whale'));
    const statements = log.matching(EVALUATION, from);
    expect(statements).toHaveLength(10);
    expect(statements.filter((statement) => !statement.startsWith('SELECT'))).toEqual([]);
    expect(before).toHaveLength(1);
    expect(await query(rowsOf, id, userId)).toEqual(before);
    expect(await world.events.roleChangesOf(id)).toEqual([`role.granted ${userId} whale`]);
  });

  it('roles that have not changed: of members who wait together are looked up together, and each principal gets its own answer', async () => {
    const one = await settledMember();
    const two = await settledMember();
    const [from, requests] = [log.statements.length, world.book.asked.length];
    const lock = await RowLock.acquire(
      world.communities.databaseUrl,
      'LOCK TABLE token_gating.community_administrators IN ACCESS EXCLUSIVE MODE',
    );
    try {
      const first = one.ask();
      await lock.waitUntilBlocking();
      const paths = [
        `/access-control/${one.id}/%00/roles`,
        `/access-control/%00/${one.userId}/roles`,
        `/access-control/${one.id}/${two.userId}/roles`,
        `/access-control/community_unknown/${two.userId}/roles`,
      ];
      const strange = paths.map((path) =>
        world.gating.request('GET', path, undefined, {}, asUser('user_stranger')),
      );
      const asked = Array.from({ length: 30 }, (_, n) => (n % 2 === 0 ? one : two).ask());
      const refused = [one.ask(asUser(two.userId)), two.ask(asClient('client_stranger'))];
      // The app answers this after it has accepted most of the others.
      await (await fetch(`${world.gating.app.managementUrl}/metrics`)).text();
      await lock.release();
      expect((await first).body).toEqual(granted('whale'));
      for (const answer of await Promise.all(asked)) expect(answer.body).toEqual(granted('whale'));
      for (const { status } of await Promise.all([...refused, ...strange.slice(2)])) expect(status).toBe(404);
      for (const { status, body } of await Promise.all(strange.slice(0, 2)))
        expect([status, JSON.stringify(body)]).toEqual([
          400,
          expect.stringContaining('must not hold a NUL character'),
        ]);
    } finally {
      await lock.release();
    }
    // These requests, one after the other, take 67 statements and 31 requests to identity.
    expect(log.matching(EVALUATION, from).length).toBeLessThan(60);
    expect(world.book.asked.length - requests).toBeLessThan(28);
  });
});

it('roles of members: are found with an identity of the release before', async () => {
  world.book.isOfEarlierRelease = true;
  try {
    const members = [await settledMember(), await settledMember()];
    const answers = await Promise.all(members.flatMap(({ ask }) => [ask(), ask()]));
    for (const { body } of answers) expect(body).toEqual(granted('whale'));
    world.book.set(members[0]?.userId ?? '');
    const [first, second] = await Promise.all(members.map(({ ask }) => ask()));
    expect([first?.body, second?.body]).toEqual([denied('whale'), granted('whale')]);
  } finally {
    world.book.isOfEarlierRelease = false;
  }
});

describe('order of evaluations', () => {
  it('order of evaluations: a read while another evaluation runs is stored as the later one, and the earlier one changes nothing', async () => {
    const { id, userId, address, ask } = await settledMember();
    await world.give(address, 1n);
    // Finds that the role is to be revoked, announces an evaluation and waits for the node.
    const found = world.holdNextAnswer();
    const earlier = ask();
    await found.isRead;
    const held = world.holdNextAnswer();
    found.release();
    await held.isRead;
    world.book.set(userId, eoa(await world.wallet(WHOLE)));
    expect((await ask(asUser(userId), other)).body).toEqual(granted('whale'));
    held.release();
    await earlier;
    expect(await world.communities.assignments(id)).toEqual([`${userId} whale`]);
    expect(await world.events.roleChangesOf(id)).toEqual([`role.granted ${userId} whale`]);
  });

  it('order of evaluations: one whose announcement has expired stores nothing, and begins anew', async () => {
    const { id, userId, address, ask } = await settledMember();
    await world.give(address, 1n);
    const found = world.holdNextAnswer();
    const asked = ask();
    await found.isRead;
    const held = world.holdNextAnswer();
    found.release();
    await held.isRead;
    expect(await query('DELETE FROM token_gating.announced_evaluations RETURNING id')).toHaveLength(1);
    world.book.set(userId, eoa(await world.wallet(WHOLE)));
    held.release();
    expect((await asked).body).toEqual(granted('whale'));
    expect(await world.events.roleChangesOf(id)).toEqual([`role.granted ${userId} whale`]);
  });

  it('order of evaluations: reads are noted while a balance check runs', async () => {
    const { id, userId, ask } = await settledMember();
    const noted = async () =>
      query(
        'SELECT evaluated_at::text AS at FROM token_gating.community_members WHERE community_id = $1 AND user_id = $2',
        id,
        userId,
      );
    const before = await noted();
    await query(
      `INSERT INTO token_gating.balance_checks (id, community_id, reason, rules_revision, total, next_run_at)
       VALUES (gen_random_uuid(), $1, 'scheduled', 1, 1, now() + interval '1 hour')`,
      id,
    );
    expect((await ask()).body).toEqual(granted('whale'));
    const during = await noted();
    expect(during).not.toEqual(before);
    await query(`UPDATE token_gating.balance_checks SET state = 'done' WHERE community_id = $1`, id);
    expect((await ask()).body).toEqual(granted('whale'));
    expect(await noted()).toEqual(during);
  });

  it('order of evaluations: reads that find an announcement note their time until it means nothing any more, and announce nothing', async () => {
    const { id, userId, ask } = await settledMember();
    await query(
      'INSERT INTO token_gating.announced_evaluations (community_id, user_ids) VALUES ($1, ARRAY[$2])',
      id,
      userId,
    );
    const from = log.statements.length;
    for (const { body } of await Promise.all(Array.from({ length: 20 }, () => ask())))
      expect(body).toEqual(granted('whale'));
    expect(log.matching(/UPDATE token_gating\.community_members/, from).length).toBeGreaterThan(0);
    expect(log.matching(/INSERT INTO token_gating\.announced_evaluations/, from)).toEqual([]);
    const later = log.statements.length;
    expect((await ask()).body).toEqual(granted('whale'));
    expect(log.matching(EVALUATION, later)).toHaveLength(2);
  });

  it('order of evaluations: a read that notes its time finds a role that changed meanwhile, and stores it as announced', async () => {
    const { id, userId, ask } = await settledMember();
    await query(
      'INSERT INTO token_gating.announced_evaluations (community_id, user_ids) VALUES ($1, ARRAY[$2])',
      id,
      userId,
    );
    // Holds the transaction that notes the time, until the stored role is gone.
    const lock = await RowLock.acquire(
      world.communities.databaseUrl,
      'SELECT FROM token_gating.community_members WHERE community_id = $1 FOR UPDATE',
      [id],
    );
    const asked = ask();
    await lock.waitUntilBlocking();
    await query('DELETE FROM token_gating.role_assignments WHERE community_id = $1', id);
    const from = log.statements.length;
    await lock.release();
    expect((await asked).body).toEqual(granted('whale'));
    expect(log.matching(/INSERT INTO token_gating\.announced_evaluations/, from)).toHaveLength(1);
    expect(await world.communities.assignments(id)).toEqual([`${userId} whale`]);
    expect(await world.events.roleChangesOf(id)).toEqual(Array(2).fill(`role.granted ${userId} whale`));
  });
});

it('roles that change: are stored by a member check where a request has no time to evaluate twice', async () => {
  const { id, userId, address, ask } = await settledMember();
  await world.give(address, 1n);
  // The first evaluation finds that the role is to be revoked; the second one, which would store that, gets no answer in time.
  const found = world.holdNextAnswer();
  const asked = ask();
  await found.isRead;
  world.gated.onCall = () => undefined;
  found.release();
  expect((await asked).status).toBe(503);
  expect(await world.communities.assignments(id)).toEqual([`${userId} whale`]);
  world.gated.onCall = undefined;
  await until('the role is revoked', async () => (await world.communities.assignments(id)).length === 0);
  expect((await ask()).body).toEqual(denied('whale'));
  expect(await world.events.roleChangesOf(id)).toEqual([
    `role.granted ${userId} whale`,
    `role.revoked ${userId} whale`,
  ]);
});

it('roles that change: are stored by a member check, and answered as far as they are known, where the first evaluation takes all the time', async () => {
  const userId = 'user_with_slow_rule';
  world.book.set(userId, eoa(await world.wallet()));
  const id = await world.communities.create({
    roles: ['whale', 'slow'],
    rules: [world.holds('1', { roleId: 'whale' }), { type: 'NATIVE', chainId: SILENT_CHAIN, roleId: 'slow' }],
    members: [userId],
  });
  await world.communities.assign(id, userId, 'whale');
  const lenient = { Prefer: 'handling=lenient' };
  const { status, body } = await world.roles(id, userId, asUser(userId), lenient);
  expect([status, body]).toMatchObject([200, { roles: [{ id: 'whale' }, { id: 'slow', granted: false }] }]);
  expect((body as { errors: { retryable: boolean }[] }).errors[0]?.retryable).toBe(true);
  await until('the role is revoked', async () => (await world.communities.assignments(id)).length === 0);
});

describe('what ends between two reads', () => {
  type Member = Awaited<ReturnType<typeof settledMember>>;
  const byApplication = ({ ask }: Member) => ask(asClient('client_attached'), other);

  it.each<[string, (member: Member) => Promise<unknown>, number]>([
    [
      'a membership',
      ({ id, userId }) =>
        world.gating.request(
          'DELETE',
          `/communities/${id}/members/me`,
          undefined,
          {},
          asUser(userId, 'community:write'),
        ),
      404,
    ],
    [
      'an attachment',
      ({ id }) => query('DELETE FROM token_gating.community_clients WHERE community_id = $1', id),
      404,
    ],
    [
      'a community',
      ({ id }) =>
        world.gating.request(
          'DELETE',
          `/communities/${id}`,
          undefined,
          {},
          asUser('user_owner', 'community:write'),
        ),
      404,
    ],
    [
      'an active community, which is suspended',
      ({ id }) =>
        query(
          `UPDATE token_gating.communities SET suspended_at = now(), suspension_reason = 'spam' WHERE id = $1`,
          id,
        ),
      403,
    ],
  ])(
    'what ends between two reads: %s has ended for the next read at another instance',
    async (_, end, status) => {
      const member = await settledMember();
      expect((await byApplication(member)).status).toBe(200);
      await end(member);
      expect((await byApplication(member)).status).toBe(status);
    },
  );

  it('what ends between two reads: a wallet, a holding, a rule and a role have ended for the next read at another instance', async () => {
    const member = await settledMember();
    const { id, userId, address } = member;
    await world.communities.changeRules(id, [world.holds('2', { roleId: 'whale' })]);
    expect((await byApplication(member)).body).toEqual(denied('whale'));
    await world.give(address, WHOLE);
    expect((await byApplication(member)).body).toEqual(granted('whale'));
    world.book.set(userId);
    expect((await byApplication(member)).body).toEqual(denied('whale'));
    await query('DELETE FROM token_gating.community_roles WHERE community_id = $1', id);
    expect((await byApplication(member)).body).toEqual({ roles: [] });
    expect(await world.events.roleChangesOf(id)).toEqual(
      ['granted', 'revoked', 'granted', 'revoked'].map((change) => `role.${change} ${userId} whale`),
    );
  });
});
