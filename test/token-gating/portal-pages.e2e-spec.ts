import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { until } from '../support/until.js';
import type { Answer } from './gating-app.js';
import { askForPortal, refusalOf, UsageBook } from './portal-world.js';
import { asUser, RolesWorld } from './roles-world.js';
import { eoa } from './wallet-book.js';

let world: RolesWorld;
let usage: UsageBook;

beforeAll(async () => {
  usage = await UsageBook.start();
  world = await RolesWorld.start({
    PORTAL_COMMUNITIES: 'on',
    GATEWAY_URL: usage.url,
    SWEEP_INTERVAL_MS: '100',
  });
}, 120_000);

afterAll(async () => {
  await world.stop();
  await usage.stop();
});

beforeEach(() => {
  usage.outcome = { outcome: 'counted' };
});

const newUserId = (): string => `user_${randomUUID()}`;

const request = (userId: string, method: string, path: string, body?: object) =>
  world.gating.request(method, path, body && JSON.stringify(body), {}, asUser(userId, 'community:write'));

const ask = (name: string, body: object): Promise<Answer> => askForPortal(world, name, body);

const suspend = (communityId: string) =>
  world.communities.query(
    "UPDATE token_gating.communities SET suspended_at = now(), suspension_reason = 'x' WHERE id = $1",
    [communityId],
  );

/** A community with the role `r` for holders of one token. */
async function newCommunity(visibility = 'members') {
  const owner = newUserId();
  const created = await request(owner, 'POST', '/communities', { name: 'Apes', visibility });
  const { id, inviteLink = '' } = created.body as { id: string; inviteLink?: string };
  await request(owner, 'POST', `/communities/${id}/roles`, { id: 'r', name: 'Reader' });
  const rules = [{ roleId: 'r', anyOf: [world.holds('1')] }];
  expect((await request(owner, 'PUT', `/communities/${id}/rules`, { rules })).status).toBe(200);
  return { owner, communityId: id, code: inviteLink.split('/').at(-1) ?? '', rules };
}

async function join(communityId: string, code: string, userId = newUserId()): Promise<string> {
  const answer = await request(userId, 'POST', `/communities/${communityId}/members`, {
    invitation: code,
  });
  expect(answer.status).toBe(200);
  return userId;
}

async function joinAsAdministrator(owner: string, communityId: string, code: string): Promise<string> {
  const userId = await join(communityId, code);
  await join(communityId, code, owner);
  const path = `/communities/${communityId}/administrators/${userId}`;
  expect((await request(owner, 'PUT', path)).status).toBe(200);
  return userId;
}

describe('invitations as pages show them', () => {
  it('invitation: shows an invited person the owner, the roles and what their rules ask, and nothing without the code', async () => {
    const { owner, communityId, code, rules } = await newCommunity();
    world.book.names.set(owner, 'Ada');
    const { status, body } = await ask('invitations', { communityId, code });
    expect(status).toBe(200);
    expect(body).toEqual({
      ...{ communityId, name: 'Apes', memberCount: 0, owner: { name: 'Ada' } },
      ...{ roles: [{ id: 'r', name: 'Reader' }], rules },
    });
    for (const wrong of ['x', undefined])
      expect(refusalOf(await ask('invitations', { communityId, code: wrong }))).toEqual([
        404,
        'community_not_found',
      ]);
    await suspend(communityId);
    expect((await ask('invitations', { communityId, code })).status).toBe(404);
  });

  it('invitation: a public community needs no code', async () => {
    const { communityId } = await newCommunity('public');
    expect((await ask('invitations', { communityId })).status).toBe(200);
    expect((await ask('invitations', { communityId: 'community_none' })).status).toBe(404);
  });

  it('invitation: tells a signed-in user what their own wallets hold, stores nothing, and counts on their tenant', async () => {
    const { communityId, code } = await newCommunity();
    const userId = newUserId();
    world.book.set(userId, eoa(await world.wallet(3n * 10n ** 18n)));
    const before = usage.requests.length;
    const { body } = await ask('invitations', { communityId, code, userId });
    expect(body).toMatchObject({
      user: {
        isMember: false,
        mayJoin: true,
        check: { roles: [{ id: 'r', granted: true }], explanations: [{ code: 'held_enough', held: '3' }] },
      },
    });
    expect(usage.requests.slice(before)).toEqual([{ userId, count: 1 }]);
    expect(await world.communities.assignments(communityId)).toEqual([]);
    const other = await ask('invitations', { communityId, code, userId: newUserId() });
    expect(other.body).toMatchObject({ user: { isMember: false } });
  });

  it('invitation: is shown without what the user holds where the plan is used up or identity is away', async () => {
    const { communityId, code } = await newCommunity();
    const userId = newUserId();
    usage.outcome = { outcome: 'month_used_up', limit: 1, retryAfter: 9 };
    const used = await ask('invitations', { communityId, code, userId });
    expect(used.status).toBe(200);
    expect(used.body).toMatchObject({ user: { isMember: false, mayJoin: true } });
    expect((used.body as { user: object }).user).not.toHaveProperty('check');
    usage.outcome = { outcome: 'counted' };
    world.book.isAway = true;
    try {
      const away = await ask('invitations', { communityId, code, userId });
      expect(away.status).toBe(200);
      expect(away.body).toMatchObject({ owner: {}, roles: [{ id: 'r' }] });
    } finally {
      world.book.isAway = false;
    }
  });

  it('invitation: somebody who was removed may not join by it', async () => {
    const { owner, communityId, code } = await newCommunity();
    const userId = await join(communityId, code);
    expect((await ask('invitations', { communityId, code, userId })).body).toMatchObject({
      user: { isMember: true },
    });
    expect((await request(owner, 'DELETE', `/communities/${communityId}/members/${userId}`)).status).toBe(
      200,
    );
    expect((await ask('invitations', { communityId, code, userId })).body).toMatchObject({
      user: { isMember: false, mayJoin: false },
    });
  });
});

describe('memberships that ended', () => {
  const ended = async (userId: string, communityId: string) =>
    (await ask('members/ended', { userId, communityId })).body as { ended?: object };

  it('T357: ended membership: is told to its user alone, with the name that the user knew, until the user is a member again', async () => {
    const { owner, communityId, code } = await newCommunity('public');
    const [removed, left] = [await join(communityId, code), await join(communityId, code)];
    expect(await ended(removed, communityId)).toEqual({});
    await request(owner, 'DELETE', `/communities/${communityId}/members/${removed}`);
    await request(left, 'DELETE', `/communities/${communityId}/members/me`);
    await request(owner, 'PATCH', `/communities/${communityId}`, { name: 'Later', visibility: 'members' });
    const time = expect.any(String);
    expect(await ended(removed, communityId)).toEqual({
      ended: { how: 'removed', name: 'Apes', time, isPublic: false },
    });
    expect(await ended(left, communityId)).toEqual({
      ended: { how: 'left', name: 'Apes', time, isPublic: false },
    });
    for (const [userId, id] of [
      [newUserId(), communityId],
      [owner, communityId],
      [removed, 'community_of_nobody'],
    ] as const)
      expect(await ended(userId, id)).toEqual({});
    // Nobody was barred: no invitation existed when they went.
    const renewed = await request(owner, 'POST', `/communities/${communityId}/invitations`);
    const { inviteLink = '' } = renewed.body as { inviteLink?: string };
    await join(communityId, inviteLink.split('/').at(-1) ?? '', removed);
    expect(await ended(removed, communityId)).toEqual({});
  });

  it('T357: ended membership: one who leaves after a removal is still barred from the invitation of the removal', async () => {
    const { owner, communityId, code } = await newCommunity();
    const userId = await join(communityId, code);
    await request(owner, 'DELETE', `/communities/${communityId}/members/${userId}`);
    await world.communities.query(
      `INSERT INTO token_gating.community_members (community_id, user_id, platform, platform_user_id) VALUES ($1, $2, 'ethereum', 'x')`,
      [communityId, userId],
    );
    await world.communities.query(
      'UPDATE token_gating.communities SET member_count = member_count + 1 WHERE id = $1',
      [communityId],
    );
    expect((await request(userId, 'DELETE', `/communities/${communityId}/members/me`)).status).toBe(200);
    expect(await ended(userId, communityId)).toMatchObject({ ended: { how: 'left' } });
    expect((await ask('invitations', { communityId, code, userId })).body).toMatchObject({
      user: { mayJoin: false },
    });
  });
});

describe('offers of communities', () => {
  const make = (userId: string, communityId: string, newOwnerId: string, amr: string[] | null = null) =>
    ask('ownership-offers/make', { userId, communityId, newOwnerId, amr });
  const revisionOf = async (communityId: string): Promise<number> => {
    const [row] = await world.communities.query<{ revision: number }>(
      'SELECT rules_revision AS revision FROM token_gating.communities WHERE id = $1',
      [communityId],
    );
    return row?.revision ?? 0;
  };
  const accept = async (userId: string, communityId: string, amr: string[] | null = null) =>
    ask('ownership-offers/accept', {
      ...{ userId, communityId, amr },
      rulesRevision: await revisionOf(communityId),
    });
  const find = (userId: string, communityId: string) => ask('ownership-offers/find', { userId, communityId });
  const ownerOf = async (communityId: string): Promise<string | undefined> => {
    const [row] = await world.communities.query<{ owner: string }>(
      'SELECT owner_id AS owner FROM token_gating.communities WHERE id = $1',
      [communityId],
    );
    return row?.owner;
  };

  async function newOffer() {
    const community = await newCommunity();
    const { owner, communityId, code } = community;
    const newOwner = await joinAsAdministrator(owner, communityId, code);
    expect((await make(owner, communityId, newOwner)).status).toBe(200);
    return { ...community, newOwner };
  }

  it('ownership offer: the new owner sees rules and cost, and accepts; the former owner stays an administrator', async () => {
    const { owner, communityId, newOwner, rules } = await newOffer();
    world.book.names.set(newOwner, 'Bob');
    const { body } = await find(newOwner, communityId);
    expect(body).toMatchObject({
      ...{ communityId, name: 'Apes', memberCount: 2, fromUserId: owner, toUserId: newOwner, toName: 'Bob' },
      ...{ roles: [{ id: 'r', name: 'Reader' }], rules },
      cost: { rules: 1, readsPerCheck: expect.any(Number), isWithoutApplication: true },
    });
    const { expiresTime } = body as { expiresTime: string };
    const days = (Date.parse(expiresTime) - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(7);
    const list = async (userId: string) => (await ask('ownership-offers/list', { userId })).body;
    expect(await list(owner)).toMatchObject({ made: [{ communityId }], received: [] });
    expect(await list(newOwner)).toMatchObject({ made: [], received: [{ communityId }] });
    expect(body).toMatchObject({ rulesRevision: await revisionOf(communityId) });
    const unread = {
      userId: newOwner,
      communityId,
      amr: null,
      rulesRevision: (await revisionOf(communityId)) - 1,
    };
    expect(refusalOf(await ask('ownership-offers/accept', unread))).toEqual([409, 'rules_conflict']);
    expect((await accept(newOwner, communityId)).status).toBe(200);
    expect(await ownerOf(communityId)).toBe(newOwner);
    expect((await find(newOwner, communityId)).status).toBe(404);
    expect(refusalOf(await accept(newOwner, communityId))).toEqual([404, 'ownership_offer_not_found']);
    const { body: administrators } = await request(
      owner,
      'GET',
      `/communities/${communityId}/administrators`,
    );
    expect(administrators).toMatchObject({
      items: expect.arrayContaining([expect.objectContaining({ userId: owner, isOwner: false })]),
    });
  });

  it('ownership offer: is made by the owner alone, to an administrator, with a wallet login, one at a time', async () => {
    const { owner, communityId, newOwner, code } = await newOffer();
    const other = await joinAsAdministrator(owner, communityId, code);
    expect((await make(owner, communityId, newOwner)).status).toBe(200);
    expect(refusalOf(await make(owner, communityId, other))).toEqual([409, 'ownership_offer_conflict']);
    expect(refusalOf(await make(owner, communityId, await join(communityId, code)))).toEqual([
      409,
      'new_owner_conflict',
    ]);
    expect(refusalOf(await make(owner, communityId, owner))[1]).toBe('new_owner_conflict');
    expect(refusalOf(await make(newOwner, communityId, other))).toEqual([403, 'owner_required']);
    expect(refusalOf(await make(owner, communityId, newOwner, ['hwk', 'user']))).toEqual([
      403,
      'wallet_login_required',
    ]);
    expect(refusalOf(await accept(newOwner, communityId, ['user']))[1]).toBe('wallet_login_required');
    for (const stranger of [other, owner, newUserId()])
      expect(refusalOf(await accept(stranger, communityId))[1]).toBe('ownership_offer_not_found');
    expect((await find(other, communityId)).status).toBe(404);
    expect(await ownerOf(communityId)).toBe(owner);
    expect((await accept(newOwner, communityId, ['pop'])).status).toBe(200);
  });

  it('ownership offer: the new owner declines it, or the owner withdraws it', async () => {
    const { owner, communityId, newOwner } = await newOffer();
    const body = { communityId };
    expect((await ask('ownership-offers/decline', { ...body, userId: owner })).status).toBe(404);
    expect((await ask('ownership-offers/decline', { ...body, userId: newOwner })).status).toBe(200);
    expect((await accept(newOwner, communityId)).status).toBe(404);
    await make(owner, communityId, newOwner);
    expect((await ask('ownership-offers/withdraw', { ...body, userId: newOwner })).status).toBe(403);
    expect((await ask('ownership-offers/withdraw', { ...body, userId: owner })).status).toBe(200);
    expect((await ask('ownership-offers/withdraw', { ...body, userId: owner })).status).toBe(200);
    expect((await accept(newOwner, communityId)).status).toBe(404);
  });

  it.each([
    [
      'has expired',
      (id: string) =>
        world.communities.query(
          'UPDATE token_gating.ownership_offers SET expires_at = now() WHERE community_id = $1',
          [id],
        ),
    ],
    ['is of a suspended community', suspend],
    [
      'is of an owner who has transferred the community at once',
      (id: string) =>
        world.communities.query("UPDATE token_gating.communities SET owner_id = 'user_else' WHERE id = $1", [
          id,
        ]),
    ],
    [
      'is of a deleted community',
      (id: string) => world.communities.query('DELETE FROM token_gating.communities WHERE id = $1', [id]),
    ],
    [
      'is to somebody who is no administrator any more',
      (id: string, newOwner: string) =>
        world.communities.query(
          'DELETE FROM token_gating.community_administrators WHERE community_id = $1 AND user_id = $2',
          [id, newOwner],
        ),
    ],
  ])('T353: ownership offer: one that %s is accepted by nobody, and is deleted', async (_, change) => {
    const { communityId, newOwner } = await newOffer();
    await change(communityId, newOwner);
    expect((await accept(newOwner, communityId)).status).toBe(404);
    expect(await ownerOf(communityId)).not.toBe(newOwner);
    await until(
      'the offer is deleted',
      async () => {
        const rows = await world.communities.query(
          'SELECT FROM token_gating.ownership_offers WHERE community_id = $1',
          [communityId],
        );
        return rows.length === 0;
      },
      20_000,
    );
  });

  it('T353: ownership offer: accepting and withdrawing at once leaves the owner or the new owner, and no offer', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { owner, communityId, newOwner } = await newOffer();
      const [accepted, withdrawn] = await Promise.all([
        accept(newOwner, communityId),
        ask('ownership-offers/withdraw', { userId: owner, communityId }),
      ]);
      const isAccepted = accepted.status === 200;
      expect([withdrawn.status, await ownerOf(communityId)]).toEqual(
        isAccepted ? [403, newOwner] : [200, owner],
      );
      expect((await find(newOwner, communityId)).status).toBe(404);
    }
  });

  it('ownership offer: is accepted within the limit of communities without an application', async () => {
    const { communityId, newOwner } = await newOffer();
    for (let count = 0; count < 3; count += 1)
      expect((await request(newOwner, 'POST', '/communities', { name: 'Own' })).status).toBe(201);
    expect(refusalOf(await accept(newOwner, communityId))).toEqual([409, 'portal_community_limit_exceeded']);
  });
});

interface MemberPage {
  members: { userId: string; name?: string; roles: { id: string; name: string }[]; isOwner: boolean }[];
  memberCount: number;
  next?: [string, string];
}

describe('members as pages show them', () => {
  const list = async (userId: string, communityId: string, search: object = {}) =>
    (await ask('members', { userId, communityId, ...search })).body as MemberPage;

  it('members: are searched by name, id and address, page by page, with their roles', async () => {
    const { owner, communityId, code } = await newCommunity();
    const members: string[] = [];
    for (let count = 0; count < 7; count += 1) members.push(await join(communityId, code));
    const [first = '', second = '', third = ''] = members;
    world.book.names.set(second, 'Grace Hopper').set(third, 'grace');
    await until('members are checked', async () => {
      const [row] = await world.communities.query<{ count: number }>(
        'SELECT count(*)::int AS count FROM token_gating.community_members WHERE community_id = $1 AND evaluated_at IS NOT NULL',
        [communityId],
      );
      return row?.count === 7;
    });
    await world.communities.assign(communityId, first, 'r');
    const everyone = await list(owner, communityId);
    expect(everyone.members.map(({ userId }) => userId)).toEqual(members);
    expect(everyone).toMatchObject({ memberCount: 7 });
    expect(everyone).not.toHaveProperty('next');
    expect(everyone.members[0]).toMatchObject({ roles: [{ id: 'r', name: 'Reader' }], isOwner: false });
    const idsOf = async (search: object) =>
      (await list(owner, communityId, search)).members.map(({ userId }) => userId);
    expect(await idsOf({ text: 'GRACE' })).toEqual([second, third]);
    expect(await idsOf({ text: 'CHAT-OF-' + first })).toEqual([first]);
    expect(await idsOf({ text: first })).toEqual([first]);
    expect(await idsOf({ text: 'nobody' })).toEqual([]);
    expect(await idsOf({ text: '%' })).toEqual([]);
    expect(await idsOf({ roleId: 'r' })).toEqual([first]);
    for (const search of [{}, { text: 'chat-of-' }]) {
      const seen: string[] = [];
      let after: [string, string] | undefined;
      do {
        const page = await list(owner, communityId, { ...search, limit: 3, ...(after && { after }) });
        seen.push(...page.members.map(({ userId }) => userId));
        after = page.next;
      } while (after);
      expect(seen).toEqual(members);
    }
  });

  it('members and callback states: are shown to those who run the community alone', async () => {
    const { communityId, code } = await newCommunity();
    const member = await join(communityId, code);
    for (const name of ['members', 'callback-states']) {
      expect(refusalOf(await ask(name, { userId: member, communityId }))[0]).toBe(403);
      expect(refusalOf(await ask(name, { userId: newUserId(), communityId }))[0]).toBe(404);
    }
  });

  it('callback states: say of each application how its callbacks went', async () => {
    const { owner, communityId } = await newCommunity();
    await world.communities.query(
      `WITH sent AS (
         INSERT INTO token_gating.deliveries (id, tenant_id, request_id, client_id, payload, url, next_attempt_at, expires_at, state, created_at)
         SELECT $1 || n, 'owner_1', gen_random_uuid(), 'client_1', jsonb_build_object('communityId', $1::text), 'https://receiver.example.com/',
           now() + interval '1 day', now() + interval '2 days', state, now() - n * interval '1 minute'
         FROM (VALUES (1, 'failed'), (2, 'delivered'), (3, 'pending')) AS row (n, state) RETURNING id, state)
       INSERT INTO token_gating.delivery_attempts (delivery_id, attempt, started_at, milliseconds, status, failure)
       SELECT id, 1, now(), 5, CASE state WHEN 'failed' THEN 500 ELSE 200 END, NULL FROM sent WHERE state <> 'pending'`,
      [communityId],
    );
    const { body } = await ask('callback-states', { userId: owner, communityId });
    expect(body).toMatchObject({
      applications: [
        {
          ...{ clientId: 'client_1', pending: 1, delivered: 1, failed: 1 },
          ...{ last: { state: 'failed' }, failure: { reason: 'status 500' } },
        },
      ],
    });
  });
});
