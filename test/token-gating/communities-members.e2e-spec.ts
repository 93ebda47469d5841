import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { deriveUserId } from '@app/auth';
import { PLAN_LIMITS, toChecksumAddress } from '@app/dto';
import { until } from '../support/until.js';
import { type Answer, codeOf, CommunitiesWorld, type Headers, idOf } from './communities-world.js';
import { RowLock } from './row-lock.js';

let world: CommunitiesWorld;
let ownerId: string;
let owner: Headers;

beforeAll(async () => {
  world = await CommunitiesWorld.lease();
  ownerId = await world.newUser();
  owner = world.as(ownerId);
}, 120_000);

/** Grants users without a wallet, and needs no chain reads for them. */
const walletless = { roleId: 'r', not: { type: 'NATIVE', chainId: 1, minToken: '1' } };
const MEMBER = `
  SELECT FROM token_gating.community_members WHERE community_id = $1 AND user_id = $2 FOR UPDATE`;
// Filters by database, because other tests use databases of the same server.
const WAITING = `
  SELECT FROM pg_stat_activity WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0`;
const untilWaiting = (count: number): Promise<void> =>
  until(`${count} wait`, async () => (await world.query(WAITING)).length === count);

const UNCHECKED = `
  SELECT FROM token_gating.community_members WHERE community_id = $1 AND evaluated_at IS NULL`;
/** The check of members who joined revokes roles that no rule grants, and locks rows. */
const untilChecked = (path: string): Promise<void> =>
  until('all members are checked', async () => (await world.query(UNCHECKED, [idOf(path)])).length === 0);

/** Requests the roles of a member as that member. */
async function rolesOf(path: string): Promise<(userId: string) => Promise<Answer>> {
  const client = await world.newClient(['token-gating']);
  return (userId) => {
    const as = world.as(userId, { client, scopes: ['token-gating'] });
    return world.get(`/access-control/${idOf(path)}/${userId}/roles`, as);
  };
}

const typesOf = async (path: string) => (await world.eventsOf(path)).map(({ type }) => type);

/** The member count of the community, and the number of listed members. */
async function countsOf(path: string): Promise<[unknown, number]> {
  const { stats } = await world.expectOk('GET', path, owner);
  const { items } = await world.expectOk('GET', `${path}/members?limit=100`, owner);
  return [(stats as { memberCount: number }).memberCount, (items as unknown[]).length];
}

const bob = { platform: 'chat', platformUserId: 'bob' };

const codeIn = (link: unknown): string => String(link).split('/').pop() ?? '';

describe('members', () => {
  it('members: join idempotently with one event, and lose their roles when they leave', async () => {
    const path = await world.newCommunity(ownerId, { visibility: 'public' });
    const userId = await world.newUser('chat', 'ann');
    const user = world.as(userId);
    const joined = await world.call('POST', `${path}/members`, user);
    expect(joined).toMatchObject({
      status: 200,
      body: { userId, platform: 'chat', platformUserId: 'ann', roles: [] },
    });
    expect(await world.call('POST', `${path}/members`, user, {})).toEqual(joined);
    expect(await countsOf(path)).toEqual([1, 1]);
    expect(await world.checksOf(path)).toEqual([[userId]]);
    await untilChecked(path);

    await world.expectOk('POST', `${path}/roles`, owner, { id: 'r', name: 'R' });
    await world.query('INSERT INTO token_gating.role_assignments VALUES ($1, $2, $3)', [
      idOf(path),
      userId,
      'r',
    ]);
    const { items } = await world.expectOk('GET', `${path}/members`, owner);
    expect(items).toMatchObject([{ userId, roles: ['r'] }]);
    await world.expectOk('DELETE', `${path}/members/me`, user);
    expect(await countsOf(path)).toEqual([0, 0]);
    const events = await world.eventsOf(path);
    expect(events).toMatchObject([
      { type: 'member.joined', userId },
      { type: 'role.revoked', userId, roleId: 'r' },
      { type: 'member.left', userId },
    ]);
    expect(events.map(({ at }) => at)).toEqual(events.map(({ at }) => at).sort());
  });

  it('members: must be users that identity knows', async () => {
    const path = await world.newCommunity(ownerId, { visibility: 'public' });
    const unknown = await world.call('POST', `${path}/members`, world.as('user_unknown'));
    expect([unknown.status, codeOf(unknown)]).toEqual([404, 'user_not_found']);
  });

  it('members: need a valid invitation where only members see the community', async () => {
    const path = await world.newCommunity(ownerId, { iconURL: 'https://a.example/i.png' });
    const user = world.as(await world.newUser());
    const { inviteLink } = await world.expectOk('GET', path, owner);
    const code = codeIn(inviteLink);
    const look = (one: string) => world.get(`${path}/invitations/${one}`, {});
    expect(inviteLink).toMatch(
      /^http:\/\/127\.0\.0\.1:\d+\/communities\/community_\w+\/invitations\/[\w-]{43}$/,
    );
    expect(await look(code)).toEqual({
      status: 200,
      body: { communityId: idOf(path), name: 'Apes', iconURL: 'https://a.example/i.png', memberCount: 0 },
    });
    const wrong = [`${code.slice(0, -1)}_`, 'x', codeIn(await renewed(await world.newCommunity(ownerId)))];
    for (const one of [undefined, ...wrong]) {
      if (one !== undefined) expect(codeOf(await look(one))).toBe('community_not_found');
      const answer = await world.call('POST', `${path}/members`, user, { invitation: one });
      expect([answer.status, codeOf(answer)]).toEqual([404, 'community_not_found']);
    }

    const next = codeIn(await renewed(path));
    expect(codeOf(await world.call('POST', `${path}/members`, user, { invitation: code }))).toBe(
      'community_not_found',
    );
    await world.expectOk('POST', `${path}/members`, user, { invitation: next });
    expect((await world.get(path, user)).status).toBe(200);

    await world.expectOk('PATCH', path, owner, { visibility: 'hidden' });
    expect((await look(next)).status).toBe(404);
    const other = world.as(await world.newUser());
    expect((await world.call('POST', `${path}/members`, other, { invitation: next })).status).toBe(404);
    expect(codeOf(await world.call('POST', `${path}/invitations`, owner))).toBe('invitation_not_supported');
  });

  const renewed = async (path: string) =>
    (await world.expectOk('POST', `${path}/invitations`, owner))['inviteLink'];

  it('T56: members who were removed: need an invitation that was created later', async () => {
    const path = await world.newCommunity(ownerId);
    const [removedId, leftId] = [await world.newUser(), await world.newUser()];
    const { inviteLink } = await world.expectOk('GET', path, owner);
    const join = (userId: string, invitation: string) =>
      world.call('POST', `${path}/members`, world.as(userId), { invitation });
    for (const userId of [removedId, leftId])
      expect((await join(userId, codeIn(inviteLink))).status).toBe(200);
    await world.expectOk('DELETE', `${path}/members/${removedId}`, owner);
    await world.expectOk('DELETE', `${path}/members/me`, world.as(leftId));

    const again = await join(removedId, codeIn(inviteLink));
    expect([again.status, codeOf(again)]).toEqual([404, 'community_not_found']);
    expect((await join(leftId, codeIn(inviteLink))).status).toBe(200);
    expect((await join(removedId, codeIn(await renewed(path)))).status).toBe(200);
  });

  it('T56: members: are no longer administrators once they left or were removed', async () => {
    const path = await world.newCommunity(ownerId);
    const client = await world.newClient();
    const key = { 'x-api-key': client.apiKey };
    await world.expectOk(
      'PUT',
      `${path}/client-applications/${client.clientId}`,
      world.as(ownerId, { client }),
    );
    const { inviteLink } = await world.expectOk('GET', path, owner);
    const [leaver, removed, other] = [await world.newUser(), await world.newUser(), await world.newUser()];
    for (const userId of [leaver, removed, other]) {
      const invitation = codeIn(inviteLink);
      await world.expectOk('POST', `${path}/members`, world.as(userId), { invitation });
      await world.expectOk('PUT', `${path}/administrators/${userId}`, owner);
    }
    await world.expectOk('DELETE', `${path}/members/me`, world.as(leaver));
    for (const headers of [world.as(other), key]) {
      const refused = await world.call('DELETE', `${path}/members/${removed}`, headers);
      expect([refused.status, codeOf(refused)]).toEqual([403, 'owner_required']);
    }
    await world.expectOk('DELETE', `${path}/members/${removed}`, owner);
    for (const userId of [leaver, removed])
      expect((await world.get(path, world.as(userId))).status).toBe(404);
    const { items } = await world.expectOk('GET', `${path}/administrators`, owner);
    expect(items).toMatchObject([{ userId: ownerId }, { userId: other }]);

    await world.expectOk('POST', `${path}/members`, owner);
    await world.expectOk('DELETE', `${path}/members/me`, owner);
    expect((await world.get(`${path}/administrators`, owner)).status).toBe(200);
  });

  it('members: are removed by user id or platform id, unless the platform id is ambiguous', async () => {
    const path = await world.newCommunity(ownerId, { visibility: 'public' });
    const number = randomUUID();
    const [chat, code] = [await world.newUser('chat', number), await world.newUser('codehost', number)];
    for (const id of [chat, code]) await world.expectOk('POST', `${path}/members`, world.as(id));
    const remove = (id: string) => world.call('DELETE', `${path}/members/${id}`, owner);
    const ambiguous = await remove(number);
    expect([ambiguous.status, codeOf(ambiguous)]).toEqual([409, 'user_id_conflict']);
    expect((await remove(chat)).status).toBe(200);
    expect((await remove(number)).status).toBe(200);
    expect(codeOf(await remove(number))).toBe('member_not_found');
    expect(await countsOf(path)).toEqual([0, 0]);
  });

  it('members of ethereum: match their address in any case, members of other platforms only the exact id', async () => {
    const path = await world.newCommunity(ownerId, { visibility: 'public' });
    const digits = 'ab'.repeat(20);
    const [plain, contract, chat] = [`0x${digits}`, `eip155:1:0x${digits}`, `Ann-${digits}`];
    const ids = [
      await world.newUser('ethereum', plain),
      await world.newUser('ethereum', contract),
      await world.newUser('chat', chat),
    ];
    for (const id of ids) await world.expectOk('POST', `${path}/members`, world.as(id));
    const client = await world.newClient(['token-gating']);
    const as = (userId: string) => world.as(userId, { client, scopes: ['token-gating'] });
    const statusOf = async (name: string, userId = ownerId) =>
      (await world.get(`/access-control/${idOf(path)}/${encodeURIComponent(name)}/roles`, as(userId))).status;

    const checksummed = toChecksumAddress(plain);
    const upper = plain.toUpperCase().replace('X', 'x');
    for (const name of [plain, checksummed, upper]) {
      expect([name, await statusOf(name), await statusOf(name, ids[0])]).toEqual([name, 200, 200]);
      expect([name, await statusOf(name, ids[1])]).toEqual([name, 404]);
    }
    expect(await statusOf(`eip155:1:${checksummed}`)).toBe(200);
    expect(await statusOf(chat)).toBe(200);
    expect(await statusOf(chat.toLowerCase())).toBe(404);
    expect(await statusOf((ids[0] ?? '').toUpperCase())).toBe(404);

    const remove = (name: string) => world.call('DELETE', `${path}/members/${name}`, owner);
    expect((await remove(chat.toLowerCase())).status).toBe(404);
    for (const name of [checksummed, `eip155:1:${checksummed}`, chat])
      expect([name, (await remove(name)).status]).toEqual([name, 200]);
    expect(await countsOf(path)).toEqual([0, 0]);
  });

  it('members of other platforms: match an address as platform id only in its exact case', async () => {
    const path = await world.newCommunity(ownerId, { visibility: 'public' });
    const address = toChecksumAddress(`0x${'cd'.repeat(20)}`);
    await world.expectOk('POST', `${path}/members`, world.as(await world.newUser('chat', address)));
    const remove = async (name: string) =>
      (await world.call('DELETE', `${path}/members/${name}`, owner)).status;
    expect(await remove(address.toLowerCase())).toBe(404);
    expect(await remove(address)).toBe(200);
  });

  it('members: are counted and published once under concurrent joins and leaves', async () => {
    const path = await world.newCommunity(ownerId, { visibility: 'public' });
    const users = await Promise.all(Array.from({ length: 10 }, () => world.newUser()));
    const at = (id: string, method: string) =>
      world.call(method, `${path}/members${method === 'DELETE' ? '/me' : ''}`, world.as(id));
    // Every user joins twice concurrently, and half of them leave three times concurrently.
    await Promise.all(users.flatMap((id) => [at(id, 'POST'), at(id, 'POST')]));
    expect(await countsOf(path)).toEqual([10, 10]);
    const leaving = users.slice(5).flatMap((id) => [at(id, 'DELETE'), at(id, 'DELETE'), at(id, 'DELETE')]);
    const statuses = (await Promise.all(leaving)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(5);
    expect(await countsOf(path)).toEqual([5, 5]);
    const types = await typesOf(path);
    expect(types.filter((type) => type === 'member.joined')).toHaveLength(10);
    expect(types.filter((type) => type === 'member.left')).toHaveLength(5);
  });

  it('T54: members: are limited by the best plan of the attached client applications', async () => {
    const path = await world.newCommunity(ownerId, { visibility: 'public' });
    const join = async () => world.call('POST', `${path}/members`, world.as(await world.newUser()));
    const attach = async (plan: 'free' | 'paid') => {
      const client = await world.newClient(undefined, plan);
      const as = world.as(ownerId, { client });
      await world.expectOk('PUT', `${path}/client-applications/${client.clientId}`, as);
      return client;
    };
    const setCount = (count: number) =>
      world.query('UPDATE token_gating.communities SET member_count = $2 WHERE id = $1', [idOf(path), count]);
    const { free, paid } = PLAN_LIMITS;
    await setCount(free.members - 1);
    expect((await join()).status).toBe(200);
    const { apiKey } = await attach('free');
    const upsert = () =>
      world.call('PUT', `${path}/platform-users`, { 'x-api-key': apiKey }, { users: [bob] });
    for (const full of [await join(), await upsert()])
      expect([full.status, codeOf(full)]).toEqual([409, 'member_limit_exceeded']);
    await attach('paid');
    expect([(await join()).status, (await upsert()).status]).toEqual([200, 200]);
    await setCount(paid.members);
    expect((await join()).status).toBe(409);
    expect((await upsert()).status).toBe(200); // a member already
  });

  it('members: do not remain in a community that is deleted while they join', async () => {
    const path = await world.newCommunity(ownerId, { visibility: 'public' });
    const users = await Promise.all(Array.from({ length: 8 }, () => world.newUser()));
    const joining = users.map((id) => world.call('POST', `${path}/members`, world.as(id)));
    const [deleted, ...joined] = await Promise.all([world.call('DELETE', path, owner), ...joining]);
    expect(deleted.status).toBe(200);
    for (const { status } of joined) expect([200, 404]).toContain(status);
    const left = 'SELECT FROM token_gating.community_members WHERE community_id = $1';
    await until('no member is left', async () => (await world.query(left, [idOf(path)])).length === 0);
    expect((await typesOf(path)).at(-1)).toBe('community.deleted');
  });

  it('members: join and leave while roles are stored; a rule change waits for that, and later evaluations wait for it', async () => {
    const path = await world.newCommunity(ownerId, { visibility: 'public' });
    const [one, other, third] = [await world.newUser(), await world.newUser(), await world.newUser()];
    for (const userId of [one, third]) await world.expectOk('POST', `${path}/members`, world.as(userId));
    await world.expectOk('POST', `${path}/roles`, owner, { id: 'r', name: 'R' });
    await untilChecked(path);
    // No rule grants the role, so the evaluations have something to store.
    for (const userId of [one, third])
      await world.query('INSERT INTO token_gating.role_assignments VALUES ($1, $2, $3)', [
        idOf(path),
        userId,
        'r',
      ]);
    const lock = await RowLock.acquire(world.databaseUrl, MEMBER, [idOf(path), one]);
    try {
      const roles = await rolesOf(path);
      const before = roles(one);
      await lock.waitUntilBlocking();
      await world.expectOk('POST', `${path}/members`, world.as(other));
      await untilChecked(path);
      await world.expectOk('DELETE', `${path}/members/me`, world.as(other));
      expect(await lock.isBlocking()).toBe(true);
      const rules = world.call('PUT', `${path}/rules`, owner, { rules: [walletless] });
      await untilWaiting(2);
      const after = roles(third);
      await untilWaiting(3);
      await lock.release();
      expect(await before).toMatchObject({ status: 200, body: { roles: [{ id: 'r', granted: false }] } });
      expect((await rules).status).toBe(200);
      expect(await after).toMatchObject({ status: 200, body: { roles: [{ id: 'r', granted: true }] } });
    } finally {
      await lock.release();
    }
  });

  it('members: get events about their roles before the event of the deletion', async () => {
    const path = await world.newCommunity(ownerId, { visibility: 'public' });
    const userId = await world.newUser();
    await world.expectOk('POST', `${path}/roles`, owner, { id: 'r', name: 'R' });
    await world.expectOk('PUT', `${path}/rules`, owner, { rules: [walletless] });
    await world.expectOk('POST', `${path}/members`, world.as(userId));
    await until('the role is stored', async () => (await typesOf(path)).includes('role.granted'));
    await world.query('DELETE FROM token_gating.role_assignments WHERE community_id = $1', [idOf(path)]);

    const lock = await RowLock.acquire(world.databaseUrl, MEMBER, [idOf(path), userId]);
    try {
      const roles = (await rolesOf(path))(userId);
      await lock.waitUntilBlocking();
      const deleted = world.call('DELETE', path, owner);
      await untilWaiting(2);
      await lock.release();
      expect([(await roles).status, (await deleted).status]).toEqual([200, 200]);
    } finally {
      await lock.release();
    }
    const events = (await world.eventsOf(path)).sort((a, b) => a.at.localeCompare(b.at));
    expect(events.map(({ type }) => type)).toEqual([
      'member.joined',
      'role.granted',
      'role.granted',
      'community.deleted',
    ]);
  });
});

describe('an attached client application', () => {
  it('attached client application: creates platform users and adds them as members, also in a hidden community', async () => {
    const path = await world.newCommunity(ownerId, { visibility: 'hidden' });
    const client = await world.newClient();
    const key = { 'x-api-key': client.apiKey };
    const through = world.as(ownerId, { client });
    await world.expectOk('PUT', `${path}/client-applications/${client.clientId}`, through);
    const numbers = ['one', 'two', 'one'].map((name) => `${name}-${idOf(path)}`);
    const users = numbers.map((platformUserId) => ({ platform: 'chat', platformUserId, name: 'N' }));
    const ids = numbers.map((number) => deriveUserId('chat', number));
    expect(await world.expectOk('PUT', `${path}/platform-users`, key, { users })).toEqual({ userIds: ids });
    expect(await world.expectOk('PUT', `${path}/platform-users`, key, { users })).toEqual({ userIds: ids });
    expect(await countsOf(path)).toEqual([2, 2]);
    expect((await world.checksOf(path)).map((one) => [...one].sort())).toEqual([ids.slice(0, 2).sort()]);
    expect(await world.expectOk('GET', path, key)).toMatchObject({ ownerId });
    await world.expectOk('DELETE', `${path}/members/${numbers[0] ?? ''}`, key);
    expect(await countsOf(path)).toEqual([1, 1]);

    await world.expectOk('DELETE', `${path}/client-applications/${client.clientId}`, owner);
    expect((await world.call('PUT', `${path}/platform-users`, key, { users })).status).toBe(404);
  });

  it('listMembers: administrators see the names that members gave themselves, applications those that they reported', async () => {
    const path = await world.newCommunity(ownerId, { visibility: 'hidden' });
    const [reporting, other] = [await world.newClient(), await world.newClient()];
    const profiles = [
      { name: '\u05d0<b>Ann', username: null, ens: null },
      { name: null, username: `ben_${randomUUID().slice(0, 8)}`, ens: 'ben.eth' },
      { name: null, username: null, ens: 'cid.eth' },
      { name: null, username: null, ens: null },
    ];
    const shown = new Map<string, string | undefined>();
    for (const { name, username, ens } of profiles) {
      const id = await world.newUser();
      const set = 'UPDATE identity.users SET name = $2, username = $3 WHERE id = $1';
      await world.query(set, [id, name, username]);
      if (ens !== null) await world.query('INSERT INTO identity.ens_names VALUES ($1, $2, now())', [id, ens]);
      const join = `INSERT INTO token_gating.community_members (community_id, user_id, platform, platform_user_id)
        SELECT $1, id, platform, platform_user_id FROM identity.users WHERE id = $2`;
      await world.query(join, [idOf(path), id]);
      shown.set(id, name ?? username ?? ens ?? undefined);
    }
    for (const client of [reporting, other])
      await world.expectOk(
        'PUT',
        `${path}/client-applications/${client.clientId}`,
        world.as(ownerId, { client }),
      );
    const chatUser = { platform: 'chat', platformUserId: `dan-${idOf(path)}` };
    for (const [client, name] of [
      [reporting, 'Dan of one application'],
      [other, undefined],
    ] as const)
      await world.expectOk(
        'PUT',
        `${path}/platform-users`,
        { 'x-api-key': client.apiKey },
        {
          users: [{ ...chatUser, name }],
        },
      );
    const dan = deriveUserId('chat', chatUser.platformUserId);
    const namesFor = async (headers: Headers) => {
      const { items } = await world.expectOk('GET', `${path}/members?limit=100`, headers);
      return new Map(
        (items as { userId: string; name?: string }[]).map(({ userId, name }) => [userId, name]),
      );
    };
    const forOwner = await namesFor(owner);
    for (const [id, name] of shown) expect(forOwner.get(id)).toBe(name);
    expect(forOwner.get(dan)).toBeUndefined();
    const forReporting = await namesFor({ 'x-api-key': reporting.apiKey });
    expect([...forReporting].filter(([, name]) => name !== undefined)).toEqual([
      [dan, 'Dan of one application'],
    ]);
    const forOther = await namesFor({ 'x-api-key': other.apiKey });
    expect([...forOther.values()].filter((name) => name !== undefined)).toEqual([]);
  });

  it.each([
    [{ users: [] }, 'users'],
    [{ users: [{ platform: 'ethereum', platformUserId: '0x1' }] }, 'users.0.platform'],
    [{ users: [{ platform: 'chat', platformUserId: '' }] }, 'users.0.platformUserId'],
    ...['a/b', '/', 'a\\b', ' 1', '1\u00a0', 'a\nb', '\u007f', 'a\u202eb', '.', '..', 'me'].map(
      (platformUserId) =>
        [{ users: [{ platform: 'chat', platformUserId }] }, 'users.0.platformUserId'] as const,
    ),
    [{ users: [{ platform: 'chat', platformUserId: '1', admin: true }] }, 'users.0.admin'],
  ])('attached client application: cannot send %j', async (body, path) => {
    const key = { 'x-api-key': world.client.apiKey };
    expect(await world.call('PUT', '/communities/c/platform-users', key, body)).toMatchObject({
      status: 400,
      body: { error: { details: { issues: [{ path }] } } },
    });
  });
});
