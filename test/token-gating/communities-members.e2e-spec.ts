import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { deriveUserId } from '@app/auth';
import { toChecksumAddress } from '@app/dto';
import { until } from '../support/until.js';
import { type Answer, codeOf, CommunitiesWorld, type Headers, idOf } from './communities-world.js';
import { HeldRows } from './held-rows.js';

let world: CommunitiesWorld;
let ownerId: string;
let owner: Headers;

beforeAll(async () => {
  world = await CommunitiesWorld.start();
  ownerId = await world.newUser();
  owner = world.as(ownerId);
}, 120_000);

afterAll(async () => {
  await world.stop();
});

/** Nothing has to be read for those who have no wallet. */
const walletless = { roleId: 'r', not: { type: 'NATIVE', chainId: 1, minToken: '1' } };
const MEMBER = `
  SELECT FROM token_gating.community_members WHERE community_id = $1 AND user_id = $2 FOR UPDATE`;
// Other tests have databases of their own on the same server.
const WAITING = `
  SELECT FROM pg_stat_activity WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0`;
const untilWaiting = (count: number): Promise<void> =>
  until(`${count} wait`, async () => (await world.query(WAITING)).length === count);

/** Asks for the roles of a member, as that member. */
async function rolesOf(path: string): Promise<(userId: string) => Promise<Answer>> {
  const client = await world.newClient(['token-gating']);
  return (userId) => {
    const as = world.as(userId, { client, scopes: ['token-gating'] });
    return world.get(`/access-control/${idOf(path)}/${userId}/roles`, as);
  };
}

const typesOf = async (path: string) => (await world.eventsOf(path)).map(({ type }) => type);

/** As the community says, and as there are. */
async function countsOf(path: string): Promise<[unknown, number]> {
  const { stats } = await world.expectOk('GET', path, owner);
  const { items } = await world.expectOk('GET', `${path}/members?limit=100`, owner);
  return [(stats as { memberCount: number }).memberCount, (items as unknown[]).length];
}

const codeIn = (link: unknown): string => String(link).split('/').pop() ?? '';

describe('members', () => {
  it('join once, are told of once, and leave with their roles', async () => {
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

  it('are users that identity knows', async () => {
    const path = await world.newCommunity(ownerId, { visibility: 'public' });
    const nobody = await world.call('POST', `${path}/members`, world.as('user_nobody'));
    expect([nobody.status, codeOf(nobody)]).toEqual([404, 'user_not_found']);
  });

  it('need an invitation where only members see the community, and one that still holds', async () => {
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

  it('are removed by either of their ids, unless it means two of them', async () => {
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

  it('of ethereum are named by their address in any case, others in their own alone', async () => {
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

  it('of other platforms keep the case of an address that they go by', async () => {
    const path = await world.newCommunity(ownerId, { visibility: 'public' });
    const address = toChecksumAddress(`0x${'cd'.repeat(20)}`);
    await world.expectOk('POST', `${path}/members`, world.as(await world.newUser('chat', address)));
    const remove = async (name: string) =>
      (await world.call('DELETE', `${path}/members/${name}`, owner)).status;
    expect(await remove(address.toLowerCase())).toBe(404);
    expect(await remove(address)).toBe(200);
  });

  it('are counted and told of once, however many come and go at once', async () => {
    const path = await world.newCommunity(ownerId, { visibility: 'public' });
    const users = await Promise.all(Array.from({ length: 10 }, () => world.newUser()));
    const at = (id: string, method: string) =>
      world.call(method, `${path}/members${method === 'DELETE' ? '/me' : ''}`, world.as(id));
    // Everybody comes twice at once, and half of them go again three times at once.
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

  it('are none of a community that is deleted while they join', async () => {
    const path = await world.newCommunity(ownerId, { visibility: 'public' });
    const users = await Promise.all(Array.from({ length: 8 }, () => world.newUser()));
    const joining = users.map((id) => world.call('POST', `${path}/members`, world.as(id)));
    const [deleted, ...joined] = await Promise.all([world.call('DELETE', path, owner), ...joining]);
    expect(deleted.status).toBe(200);
    for (const { status } of joined) expect([200, 404]).toContain(status);
    const left = 'SELECT FROM token_gating.community_members WHERE community_id = $1';
    await until('nobody is left', async () => (await world.query(left, [idOf(path)])).length === 0);
    expect((await typesOf(path)).at(-1)).toBe('community.deleted');
  });

  it('come and go while roles of others are stored; rules wait for that, and who comes later waits for them', async () => {
    const path = await world.newCommunity(ownerId, { visibility: 'public' });
    const [one, other, third] = [await world.newUser(), await world.newUser(), await world.newUser()];
    for (const userId of [one, third]) await world.expectOk('POST', `${path}/members`, world.as(userId));
    await world.expectOk('POST', `${path}/roles`, owner, { id: 'r', name: 'R' });
    const held = await HeldRows.hold(world.databaseUrl, MEMBER, [idOf(path), one]);
    try {
      const roles = await rolesOf(path);
      const before = roles(one);
      await held.waitedFor();
      await world.expectOk('POST', `${path}/members`, world.as(other));
      await world.expectOk('DELETE', `${path}/members/me`, world.as(other));
      expect(await held.isWaitedFor()).toBe(true);
      const rules = world.call('PUT', `${path}/rules`, owner, { rules: [walletless] });
      await untilWaiting(2);
      const after = roles(third);
      await untilWaiting(3);
      await held.release();
      expect(await before).toMatchObject({ status: 200, body: { roles: [{ id: 'r', granted: false }] } });
      expect((await rules).status).toBe(200);
      expect(await after).toMatchObject({ status: 200, body: { roles: [{ id: 'r', granted: true }] } });
    } finally {
      await held.release();
    }
  });

  it('hear of their roles before they hear that the community is gone', async () => {
    const path = await world.newCommunity(ownerId, { visibility: 'public' });
    const userId = await world.newUser();
    await world.expectOk('POST', `${path}/roles`, owner, { id: 'r', name: 'R' });
    await world.expectOk('PUT', `${path}/rules`, owner, { rules: [walletless] });
    await world.expectOk('POST', `${path}/members`, world.as(userId));
    await until('the role is stored', async () => (await typesOf(path)).includes('role.granted'));
    await world.query('DELETE FROM token_gating.role_assignments WHERE community_id = $1', [idOf(path)]);

    const held = await HeldRows.hold(world.databaseUrl, MEMBER, [idOf(path), userId]);
    try {
      const roles = (await rolesOf(path))(userId);
      await held.waitedFor();
      const deleted = world.call('DELETE', path, owner);
      await untilWaiting(2);
      await held.release();
      expect([(await roles).status, (await deleted).status]).toEqual([200, 200]);
    } finally {
      await held.release();
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
  it('makes users of its platform known, and members of a community, hidden or not', async () => {
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

  it.each([
    [{ users: [] }, 'users'],
    [{ users: [{ platform: 'ethereum', platformUserId: '0x1' }] }, 'users.0.platform'],
    [{ users: [{ platform: 'chat', platformUserId: '' }] }, 'users.0.platformUserId'],
    ...['a/b', '/', 'a\\b', ' 1', '1\u00a0', 'a\nb', '\u007f', 'a\u202eb', '.', '..', 'me'].map(
      (platformUserId) =>
        [{ users: [{ platform: 'chat', platformUserId }] }, 'users.0.platformUserId'] as const,
    ),
    [{ users: [{ platform: 'chat', platformUserId: '1', admin: true }] }, 'users.0.admin'],
  ])('is refused %j', async (body, path) => {
    const key = { 'x-api-key': world.client.apiKey };
    expect(await world.call('PUT', '/communities/c/platform-users', key, body)).toMatchObject({
      status: 400,
      body: { error: { details: { issues: [{ path }] } } },
    });
  });
});
