import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ANONYMOUS_PRINCIPAL, type Principal } from '@app/auth';
import { forwardTo } from '../support/hostile-node.js';
import { memberId, ownerOf, type SeededCommunity } from '../support/seeded-communities.mjs';
import { until } from '../support/until.js';
import { CheckWorld, clientAlone, userOf } from './check-world.js';
import { listRecordedEvents, recordEvents } from './event-recorder.js';
import { CHAIN_ID, rich, seedCommunity } from './seeded-communities.js';

const MEMBERS = 12;
const HOUR = 3_600_000;

interface Check {
  id: string;
  communityId: string;
  reason: string;
  state: string;
  total: number;
  done: number;
  changed: number;
  failed: number;
  finishedTime?: string;
}

let world: CheckWorld;

beforeAll(async () => {
  world = await CheckWorld.start({
    env: {
      BALANCE_CHECK_PAGE_READS: '2', // two members per page
      BALANCE_CHECK_INTERVALS_MS: JSON.stringify({ free: 24 * HOUR, paid: 6 * HOUR, enterprise: HOUR }),
      SWEEP_AFTER_MS: '2000',
      QUEUE_BACKOFF_MS: '5',
    },
  });
  await recordEvents(world.sql);
  for (const member of [1, 5, 12]) await world.fund(member, 2n);
}, 120_000);

afterAll(() => world.stop());

const seeded = (community: Partial<SeededCommunity> & { id: string }): Promise<string> =>
  seedCommunity(world.sql, { members: MEMBERS, ...community });

const pathOf = (communityId: string): string => `/communities/${communityId}/balance-checks`;

const requested = async (communityId: string): Promise<Check> => {
  const answer = await world.request(userOf(ownerOf(communityId)), 'POST', pathOf(communityId));
  expect(answer.status).toBe(202);
  return answer.body as Check;
};

const lookedUp = async ({ communityId, id }: Pick<Check, 'communityId' | 'id'>): Promise<Check> => {
  const path = `${pathOf(communityId)}/${id}`;
  const answer = await world.request(userOf(ownerOf(communityId)), 'GET', path);
  expect(answer.status).toBe(200);
  return answer.body as Check;
};

const finished = async (check: Pick<Check, 'communityId' | 'id'>): Promise<Check> => {
  await until('the check is done', async () => (await lookedUp(check)).state === 'done', 30_000);
  return lookedUp(check);
};

/** The stored assignments as `<member> <role>`. */
const assignments = async (communityId: string): Promise<string[]> => {
  const rows = await world.query<{ user_id: string; role_id: string }>(
    'SELECT user_id, role_id FROM token_gating.role_assignments WHERE community_id = $1 ORDER BY user_id, role_id',
    [communityId],
  );
  return rows.map(({ user_id, role_id }) => `${user_id} ${role_id}`);
};

const held = (roleId: string, ...members: number[]): string[] =>
  members.map((member) => `${memberId(member)} ${roleId}`).sort();

const events = (communityId: string): Promise<string[]> => listRecordedEvents(world.sql, communityId);

it('balance check: grants and revokes roles, and publishes each change once', async () => {
  const community = await seeded({ id: 'community_changes' });
  const first = await requested(community);
  expect(first).toMatchObject({
    communityId: community,
    reason: 'requested',
    state: 'running',
    total: MEMBERS,
  });
  expect(await finished(first)).toMatchObject({ total: MEMBERS, done: MEMBERS, changed: 3, failed: 0 });
  expect(await assignments(community)).toEqual(held('rich', 1, 5, 12));
  const granted = held('rich', 1, 5, 12).map((pair) => `role.granted ${pair}`);
  expect(await events(community)).toEqual(granted);

  expect(await finished(await requested(community))).toMatchObject({ done: MEMBERS, changed: 0 });
  await world.fund(5, 0n);
  await world.fund(6, 1n);
  expect(await finished(await requested(community))).toMatchObject({ done: MEMBERS, changed: 2 });
  expect(await assignments(community)).toEqual(held('rich', 1, 6, 12));
  expect(await events(community)).toEqual(
    [...granted, `role.granted ${memberId(6)} rich`, `role.revoked ${memberId(5)} rich`].sort(),
  );
  await world.fund(5, 2n);
  await world.fund(6, 0n);
});

it('balance check: returns the running check, reports its progress, and finishes after the last member', async () => {
  const community = await seeded({ id: 'community_progress' });
  world.node.hold();
  const check = await requested(community);
  await until('it reads', () => world.node.heldBack > 0);
  expect((await requested(community)).id).toBe(check.id);
  expect(await lookedUp(check)).toMatchObject({ state: 'running', done: 0 });
  expect(await lookedUp(check)).not.toHaveProperty('finishedTime');
  world.node.release();
  const { finishedTime } = await finished(check);
  expect(finishedTime).toEqual(expect.any(String));
});

/** Holds back the responses of the node from call number `count` on. */
function holdFromCall(count: number): void {
  const answer = forwardTo(world.node.chain.rpcUrl);
  let calls = 0;
  world.node.onCall = async (request, response) => {
    calls += 1;
    if (calls === count) world.node.hold();
    await answer(request, response);
  };
}

it('balance check: restarts with the new rules when they change during a check', async () => {
  const community = await seeded({ id: 'community_new_rules' });
  await world.query(
    "INSERT INTO token_gating.community_roles (community_id, id, name, position) VALUES ($1, 'any', 'any', 9)",
    [community],
  );
  holdFromCall(4);
  const check = await requested(community);
  await until('in the middle of it', () => world.node.heldBack > 0);
  const before = await lookedUp(check);
  expect(before.done).toBeGreaterThan(0);
  expect(before.done).toBeLessThan(MEMBERS);
  world.node.onCall = undefined;
  const rules = [{ ...rich, minToken: '0', roleId: 'any' }];
  await world.query(
    `UPDATE token_gating.communities SET rules = $2, rules_revision = rules_revision + 1, next_check_at = now()
     WHERE id = $1`,
    [community, JSON.stringify(rules)],
  );
  world.node.release();
  const everybody = held('any', ...Array.from({ length: MEMBERS }, (_, index) => index + 1));
  await until(
    'by the new rules',
    async () => (await assignments(community)).join() === everybody.join(),
    20_000,
  );
  const { total, done, failed } = await finished(check);
  expect([total, done, failed]).toEqual([MEMBERS, MEMBERS, 0]);
  // A role that the old rules granted is not granted again.
  const published = await events(community);
  expect(new Set(published).size).toBe(published.length);
});

it('balance check: counts members with undetermined roles as failed, and keeps those roles', async () => {
  const nowhere = '0x00000000000000000000000000000000000000ff';
  const broken = { type: 'ERC20', chainId: CHAIN_ID, contractAddress: nowhere, roleId: 'coin' };
  const community = await seeded({ id: 'community_broken', rules: [rich, broken] });
  await world.query(
    "INSERT INTO token_gating.role_assignments (community_id, user_id, role_id) VALUES ($1, $2, 'coin'), ($1, $2, 'rich')",
    [community, memberId(2)],
  );
  expect(await finished(await requested(community))).toMatchObject({
    done: MEMBERS,
    failed: MEMBERS,
    changed: 4,
  });
  expect(await assignments(community)).toEqual([...held('coin', 2), ...held('rich', 1, 5, 12)].sort());
});

it('balance check: changes nothing when the stored rules cannot be parsed', async () => {
  const community = await seeded({ id: 'community_unreadable', rules: [{ ...rich, type: 'UNHEARD_OF' }] });
  await world.query(
    "INSERT INTO token_gating.role_assignments (community_id, user_id, role_id) VALUES ($1, $2, 'rich')",
    [community, memberId(2)],
  );
  expect(await finished(await requested(community))).toMatchObject({ failed: MEMBERS, changed: 0 });
  expect(await assignments(community)).toEqual(held('rich', 2));
});

it('balance check: aborts a check that fails at every attempt, and counts the remaining members as failed', async () => {
  const community = await seeded({ id: 'community_refused' });
  await world.query(`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON token_gating.role_assignments FOR EACH ROW
      WHEN (NEW.community_id = 'community_refused' AND NEW.user_id = 'user_5') EXECUTE FUNCTION refuse()`);
  expect(await finished(await requested(community))).toMatchObject({
    total: MEMBERS,
    done: MEMBERS,
    changed: 1,
    failed: MEMBERS - 4,
  });
  expect(await assignments(community)).toEqual(held('rich', 1));
});

it('balance check: runs checks of many communities on several instances, each once', async () => {
  const other = await world.suite.another('token-gating');
  const communities = Array.from({ length: 8 }, (_, index) => `community_many_${index}`);
  for (const id of communities) await seeded({ id });
  const checks = await Promise.all(communities.map(requested));
  for (const check of checks)
    expect(await finished(check)).toMatchObject({ total: MEMBERS, done: MEMBERS, changed: 3, failed: 0 });
  const granted = held('rich', 1, 5, 12).map((pair) => `role.granted ${pair}`);
  for (const id of communities) expect(await events(id)).toEqual(granted);
  await other.stop();
});

it('balance check: rejects a request within the cooldown with Retry-After', async () => {
  const community = await seeded({ id: 'community_eager' });
  const eager = await world.suite.another('token-gating', { BALANCE_CHECK_COOLDOWN_MS: '600000' });
  await finished(await requested(community));
  const again = await world.request(userOf(ownerOf(community)), 'POST', pathOf(community), eager);
  expect(again).toMatchObject({
    status: 429,
    body: { error: { details: { code: 'balance_check_limit_exceeded' } } },
  });
  const seconds = Number(again.headers.get('retry-after'));
  expect(seconds).toBeGreaterThan(500);
  expect(seconds).toBeLessThanOrEqual(600);
  await eager.stop();
});

describe('a due community', () => {
  const due = (communityId: string) =>
    world.query('UPDATE token_gating.communities SET next_check_at = now() WHERE id = $1', [communityId]);

  const isDueAgainIn = async (communityId: string): Promise<number> => {
    const [row] = await world.query<{ hours: number }>(
      `SELECT extract(epoch FROM next_check_at - now())::float8 / 3600 AS hours
       FROM token_gating.communities WHERE id = $1`,
      [communityId],
    );
    return row?.hours ?? NaN;
  };

  const scheduled = async (communityId: string): Promise<Check> => {
    const list = async () => {
      const { body } = await world.request(userOf(ownerOf(communityId)), 'GET', pathOf(communityId));
      return (body as { items: Check[] }).items;
    };
    await until('a check has started', async () => (await list()).length > 0);
    const [check] = await list();
    if (!check) throw new Error('There is none.');
    return check;
  };

  it('due community: is checked, and again at the interval of the best plan of its client applications', async () => {
    const { clientId: free } = await world.suite.createClient({ plan: 'free' });
    const { clientId: enterprise } = await world.suite.createClient();
    const plain = await seeded({ id: 'community_plain', clientId: free });
    const attached = await seeded({ id: 'community_attached', clientId: free });
    await world.query(
      'INSERT INTO token_gating.community_clients (community_id, client_id) VALUES ($1, $2)',
      [attached, enterprise],
    );
    for (const [community, hours] of [
      [plain, 24],
      [attached, 1],
    ] as const) {
      await due(community);
      const check = await scheduled(community);
      expect(await finished(check)).toMatchObject({ reason: 'scheduled', done: MEMBERS, changed: 3 });
      await until('the next one is known', async () => (await isDueAgainIn(community)) <= 1.1 * hours);
      expect(await isDueAgainIn(community)).toBeGreaterThan(0.85 * hours);
    }
  });

  it('due community: waits for the cooldown after the last check', async () => {
    const community = await seeded({ id: 'community_hasty' });
    await world.query(
      `INSERT INTO token_gating.balance_checks
         (id, community_id, reason, state, rules_revision, total, next_run_at, created_at, finished_at)
       VALUES (gen_random_uuid(), $1, 'scheduled', 'done', 1, 1, now(), now() + interval '3 hours', now())`,
      [community],
    );
    await due(community);
    await until('it was rescheduled', async () => (await isDueAgainIn(community)) > 1);
    expect(await isDueAgainIn(community)).toBeLessThanOrEqual(3);
    const { body } = await world.request(userOf(ownerOf(community)), 'GET', pathOf(community));
    expect((body as { items: Check[] }).items).toHaveLength(1);
  });

  it('due community: is not checked where there is nothing to grant or revoke', async () => {
    const community = await seeded({ id: 'community_idle', rules: [] });
    await due(community);
    await until('it was rescheduled', async () => (await isDueAgainIn(community)) > 1);
    const { body } = await world.request(userOf(ownerOf(community)), 'GET', pathOf(community));
    expect(body).toEqual({ items: [] });
  });

  it('due community: has its roles revoked once its rules are removed', async () => {
    const community = await seeded({ id: 'community_ruleless' });
    await finished(await requested(community));
    await world.query(
      "UPDATE token_gating.communities SET rules = '[]', rules_revision = rules_revision + 1, next_check_at = now() WHERE id = $1",
      [community],
    );
    await until('revoked', async () => (await assignments(community)).length === 0);
  });
});

it('balance check: is enqueued again by the sweeper when its job is lost', async () => {
  const community = await seeded({ id: 'community_lost' });
  const [row] = await world.query<{ id: string }>(
    `INSERT INTO token_gating.balance_checks (id, community_id, reason, rules_revision, total, next_run_at)
     VALUES (gen_random_uuid(), $1, 'requested', 1, $2, now()) RETURNING id`,
    [community, MEMBERS],
  );
  expect(await finished({ communityId: community, id: row?.id ?? '' })).toMatchObject({ done: MEMBERS });
});

it('balance check: is listed newest first, page by page, and deleted after its retention', async () => {
  const community = await seeded({ id: 'community_history' });
  await world.query(
    `INSERT INTO token_gating.balance_checks
       (id, community_id, reason, state, rules_revision, total, next_run_at, created_at, finished_at)
     SELECT gen_random_uuid(), $1, 'scheduled', 'done', 1, n, now(), now() - n * interval '1 second',
       now() - n * interval '10 days'
     FROM generate_series(1, 5) n`,
    [community],
  );
  await until('old ones are deleted', async () => {
    const rows = await world.query('SELECT FROM token_gating.balance_checks WHERE community_id = $1', [
      community,
    ]);
    return rows.length === 2;
  });
  const owner = userOf(ownerOf(community));
  const first = await world.request(owner, 'GET', `${pathOf(community)}?limit=1`);
  const { items, paginationToken } = first.body as { items: Check[]; paginationToken: string };
  expect(items.map(({ total }) => total)).toEqual([1]);
  const second = await world.request(owner, 'GET', `${pathOf(community)}?paginationToken=${paginationToken}`);
  expect(second.body).toMatchObject({ items: [{ total: 2 }] });
  expect(second.body).not.toHaveProperty('paginationToken');
  const other = await seeded({ id: 'community_other_history' });
  const elsewhere = `${pathOf(other)}?paginationToken=${paginationToken}`;
  expect((await world.request(userOf(ownerOf(other)), 'GET', elsewhere)).status).toBe(400);
});

describe('access to balance checks', () => {
  const callers: [string, Principal, public_: number, members: number, hidden: number, lookUp: number][] = [
    ['an anonymous caller', ANONYMOUS_PRINCIPAL, 403, 404, 404, 404],
    ['a stranger', userOf('user_stranger'), 403, 404, 404, 404],
    ['a member', userOf(memberId(1)), 403, 403, 404, 404],
    ['a client application that is not attached', clientAlone('client_other'), 403, 404, 404, 404],
    [
      'a stranger with a token of the attached client application',
      userOf('user_stranger', 'client_attached'),
      403,
      404,
      404,
      404,
    ],
    ['the attached client application', clientAlone('client_attached'), 202, 202, 202, 200],
    ['the owner', userOf('owner_of_community_callers'), 202, 202, 202, 200],
  ];

  beforeAll(() => seeded({ id: 'community_callers', clientId: 'client_attached' }));

  it.each(callers)('access to balance checks: %s', async (_, principal, ...statuses) => {
    const path = pathOf('community_callers');
    const visibilities = ['public', 'members', 'hidden'];
    const requestStatuses: number[] = [];
    for (const visibility of visibilities) {
      await world.query(
        "UPDATE token_gating.communities SET visibility = $1 WHERE id = 'community_callers'",
        [visibility],
      );
      requestStatuses.push((await world.request(principal, 'POST', path)).status);
    }
    const check = await requested('community_callers');
    expect([
      ...requestStatuses,
      (await world.request(principal, 'GET', `${path}/${check.id}`)).status,
    ]).toEqual(statuses);
    const list = await world.request(principal, 'GET', path);
    expect(list.status).toBe(statuses[3]);
    if (list.status !== 404) return;
    const unknown = await world.request(principal, 'GET', pathOf('community_unknown'));
    expect(withoutRequestId(list.body)).toEqual(withoutRequestId(unknown.body));
  });

  it('access to balance checks: does not include checks of another community or missing ones', async () => {
    const other = await seeded({ id: 'community_others' });
    const { id } = await requested(other);
    for (const unknown of [id, 'no-uuid', '00000000-0000-4000-8000-000000000000']) {
      const path = `${pathOf('community_callers')}/${unknown}`;
      expect((await world.request(userOf(ownerOf('community_callers')), 'GET', path)).status).toBe(404);
    }
  });
});

const withoutRequestId = (body: unknown): unknown =>
  JSON.parse(JSON.stringify(body, (key, value: unknown) => (key === 'requestId' ? undefined : value)));
