import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CommunityEvent, WalletEvent } from '@app/dto';
import { createPostgresBackend, Queue } from 'bullmq';
import { until } from '../support/until.js';
import { asClient, asUser, RolesWorld } from './roles-world.js';
import { contractOn, eoa } from './wallet-book.js';

const WHOLE = 10n ** 18n;
let world: RolesWorld;
let walletEvents: Pick<Queue, 'add' | 'close'>;
let memberChecks: Pick<Queue, 'add' | 'getJobs' | 'getJobCounts' | 'close'>;
let users = 0;

beforeAll(async () => {
  world = await RolesWorld.start({ CHECK_REREAD_AFTER_MS: '100', CHECK_REREAD_FOR_MS: '60000' });
  walletEvents = queue('wallet-events');
  memberChecks = queue('member-checks');
});

afterAll(async () => {
  await walletEvents.close();
  await memberChecks.close();
  await world.stop();
});

const queue = (name: string) =>
  new Queue(
    name,
    { connection: { connectionString: world.gating.databaseUrl, schema: 'queue', max: 2 } },
    createPostgresBackend,
  );

const eventOf = (
  userId: string,
  address: string,
  type: WalletEvent['type'] = 'wallet.linked',
): WalletEvent => ({
  ...{ id: randomUUID(), at: new Date().toISOString(), type, userId },
  accountId: `eip155:1:${address}`,
});

async function publish(...events: WalletEvent[]): Promise<void> {
  const batch = { version: 1, batchId: randomUUID(), events };
  // The event is sent twice, like after the loss of a worker: the second is another job with the same payload.
  await walletEvents.add('wallet-events', batch, { jobId: batch.batchId, removeOnComplete: true });
  await walletEvents.add('wallet-events', batch, { jobId: `again-${batch.batchId}`, removeOnComplete: true });
}

/** The count takes a single statement, because each job makes others by way of the outbox. */
const LEFT = `
  SELECT ((SELECT count(*) FROM token_gating.outbox) + (
    SELECT count(*) FROM queue.job WHERE state IN ('waiting', 'active', 'delayed')
      AND queue IN ('wallet-events', 'member-checks', 'member-wallets')))::int AS count`;

async function waitUntilIdle(): Promise<void> {
  await until('all jobs are done', async () => {
    const [left] = await world.communities.query<{ count: number }>(LEFT);
    return left?.count === 0;
  });
}

const distinct = (events: readonly { id: string }[]) => new Set(events.map(({ id }) => id)).size;

describe('a wallet that is linked or unlinked', () => {
  it('wallet that is linked or unlinked: is published in every community of the user, and has the roles there checked', async () => {
    const userId = `user_${++users}`;
    const address = await world.wallet(WHOLE);
    // An earlier release accepted and ignored the token id.
    const rules = [world.holds('1', { roleId: 'whale', tokenId: '7' })];
    const fields = { roles: ['whale'], rules, members: [userId, 'user_bystander'] };
    const ids = [await world.communities.create(fields), await world.communities.create(fields)];
    const strange = await world.communities.create({ ...fields, members: ['user_bystander'] });
    world.book.set(userId, eoa(address));
    const linked = eventOf(userId, address);
    await publish(linked);
    for (const id of ids)
      await until('the role is granted', async () => (await world.communities.assignments(id)).length === 1);
    await waitUntilIdle();
    for (const id of ids) {
      expect(await world.communities.assignments(id)).toEqual([`${userId} whale`]);
      const events = await world.events.of(id);
      const linkedEvents = events.filter(({ type }) => type === 'wallet.linked');
      expect(linkedEvents[0]).toMatchObject({ userId, accountId: linked.accountId, at: linked.at });
      expect(distinct(linkedEvents)).toBe(1);
      expect(events.filter(({ type }) => type === 'role.granted')).toHaveLength(1);
    }
    expect(await world.events.of(strange)).toEqual([]);

    world.book.set(userId);
    await publish(eventOf(userId, address, 'wallet.unlinked'));
    for (const id of ids)
      await until('the role is revoked', async () => (await world.communities.assignments(id)).length === 0);
    await waitUntilIdle();
    for (const id of ids) {
      const events = await world.events.of(id);
      expect(events.filter(({ type }) => type === 'role.revoked')).toHaveLength(1);
      expect(distinct(events.filter(({ type }) => type === 'wallet.unlinked'))).toBe(1);
    }
  });

  it('wallet that is linked or unlinked: counts once with the membership, in any order', async () => {
    const [userId, id] = [`user_${++users}`, await world.communities.create({})];
    const at = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();
    const wallet = (digit: string, linkedAt: string, unlinkedAt?: string) => ({
      accountId: `eip155:1:0x${digit.repeat(40)}`,
      ...{ linkedAt, unlinkedAt },
    });
    const toEvent = (type: WalletEvent['type'], accountId: string, time: string): WalletEvent => ({
      ...{ id: randomUUID(), at: time, type, userId, accountId },
    });
    const [old, gone] = [wallet('a', at(-60)), wallet('b', at(-60), at(-30))];
    world.book.setLinks(userId, old, gone);
    await world.join(id, userId);
    // The link and the end of the other are heard of after the join.
    await publish(
      toEvent('wallet.linked', old.accountId, old.linkedAt),
      toEvent('wallet.linked', gone.accountId, gone.linkedAt),
      toEvent('wallet.unlinked', gone.accountId, gone.unlinkedAt ?? ''),
    );
    await waitUntilIdle();
    const listEvents = async () => {
      const events = new Map((await world.events.of(id)).map((event) => [`${event.id} ${event.at}`, event]));
      const toText = (event: CommunityEvent): string =>
        [event.type, 'accountId' in event ? event.accountId.at(-1) : ''].join(' ').trim();
      return [...events.values()].map(toText).sort();
    };
    expect(await listEvents()).toEqual(['member.joined', 'wallet.linked a']);
    expect(new Set((await world.events.of(id)).map(({ at: time }) => time)).size).toBe(1);

    // Linked and unlinked as a member; only the end is heard of before the user leaves.
    await sleep(5);
    const during = wallet('c', at(0), at(0.001));
    const kept = wallet('d', at(0.001));
    world.book.setLinks(userId, old, gone, during, kept);
    await sleep(5);
    await publish(toEvent('wallet.unlinked', during.accountId, during.unlinkedAt ?? ''));
    await waitUntilIdle();
    const path = `/communities/${id}/members/me`;
    await world.gating.request('DELETE', path, undefined, {}, asUser(userId, 'community:write'));
    // Unlinked after leaving, and heard of late.
    world.book.setLinks(userId, old, gone, during, { ...kept, unlinkedAt: at(1) });
    await publish(toEvent('wallet.unlinked', kept.accountId, at(1)));
    await waitUntilIdle();
    expect(await listEvents()).toEqual([
      'member.joined',
      'member.left',
      ...['a', 'c', 'd'].map((digit) => `wallet.linked ${digit}`),
      ...['a', 'c', 'd'].map((digit) => `wallet.unlinked ${digit}`),
    ]);
  });

  it('wallet that is linked or unlinked: reaches all communities of a user who is in more than one page', async () => {
    const userId = `user_${++users}`;
    const [community] = await world.communities.query<{ count: string }>(
      `WITH made AS (
         INSERT INTO token_gating.communities (id, name, platform, visibility, owner_id, next_check_at)
         SELECT 'many_' || n, 'Demo', 'chat', 'public', 'user_owner', now() + interval '1 day'
         FROM generate_series(1, 12) AS n RETURNING id
       ), joined AS (
         INSERT INTO token_gating.community_members (community_id, user_id, platform, platform_user_id, joined_at)
         SELECT id, $1, 'chat', 'x', now() - interval '1 second' FROM made RETURNING 1
       ) SELECT count(*) FROM joined`,
      [userId],
    );
    expect(community?.count).toBe('12');
    // The addresses make so many events that a page contains ten communities.
    const addresses = Array.from({ length: 500 }, (_, n) => `0x${n.toString(16).padStart(40, '0')}`);
    await publish(...addresses.map((address) => eventOf(userId, address)));
    await until('all are checked', async () => {
      const [left] = await world.communities.query<{ count: string }>(
        `SELECT count(*) FROM token_gating.community_members WHERE user_id = $1 AND evaluated_at IS NULL`,
        [userId],
      );
      return left?.count === '0';
    });
    await waitUntilIdle();
    for (const n of [1, 12]) expect(distinct(await world.events.of(`many_${n}`))).toBe(500);
  });
});

it('wallet events: a sign-in counts in the communities of the user to which the client application is attached', async () => {
  const userId = `user_${++users}`;
  const clientId = `client_${randomUUID()}`;
  const attached = await world.communities.create({ members: [userId, 'user_b'], clients: [clientId] });
  const strange = await world.communities.create({ members: ['user_b'], clients: [clientId] });
  const detached = await world.communities.create({ members: [userId], clients: ['client_other'] });
  const at = new Date().toISOString();
  const event = { id: randomUUID(), type: 'user.signed_in', at, userId, clientId };
  const batch = { version: 1, batchId: randomUUID(), events: [event] };
  const userEvents = queue('user-events');
  for (const jobId of [randomUUID(), randomUUID()])
    await userEvents.add('user-events', batch, { jobId, removeOnComplete: true });
  await until('both jobs are done', async () => {
    const counts = await userEvents.getJobCounts('waiting', 'active', 'delayed', 'failed');
    return Object.values(counts).every((count) => count === 0);
  });
  await userEvents.close();
  const events = await world.events.of(attached);
  expect(distinct(events)).toBe(1);
  expect(events[0]).toMatchObject({ type: 'member.signed_in', at, userId });
  expect(await world.events.of(strange)).toEqual([]);
  expect(await world.events.of(detached)).toEqual([]);
});

describe('interactions that a client application reports', () => {
  const at = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();
  const send = async (communityId: string, clientId: string, ...interactions: object[]) => {
    const as = asClient(clientId, 'community:write');
    const path = `/communities/${communityId}/interactions`;
    return world.gating.request('PUT', path, JSON.stringify({ interactions }), {}, as);
  };
  const outcomes = ({ status, body }: { status: number; body: unknown }) => {
    expect([status, body]).toEqual([200, body]);
    return (body as { results: { outcome: string }[] }).results.map(({ outcome }) => outcome);
  };

  it('interactions that a client application reports: count once by their id', async () => {
    const clientId = `client_${randomUUID()}`;
    const userId = `user_${++users}`;
    const fields = { members: [userId, 'user_b'], clients: [clientId, `${clientId}_2`] };
    const [id, other] = [await world.communities.create(fields), await world.communities.create(fields)];
    const post = { id: 'post-1', platformUserId: `chat-of-${userId}`, kind: 'post', at: at(-60) };
    const like = { id: 'like-1', platformUserId: 'user_b', kind: 'like', at: at(-6 * 86_400) };
    const stranger = { ...post, id: 'post-2', platformUserId: 'nobody' };
    expect(outcomes(await send(id, clientId, post, like, post, { ...post, kind: 'like' }, stranger))).toEqual(
      ['accepted', 'accepted', 'repeated', 'conflict', 'member_not_found'],
    );
    const sameTime = { ...post, at: post.at.replace('Z', '+00:00') };
    expect(outcomes(await send(id, clientId, { ...like, at: at(-1) }, sameTime))).toEqual([
      'conflict',
      'repeated',
    ]);
    // The id is the application's own, and of one community.
    expect(outcomes(await send(id, `${clientId}_2`, post))).toEqual(['accepted']);
    expect(outcomes(await send(other, clientId, post))).toEqual(['accepted']);
    const two = [
      { ...post, id: 'post-3' },
      { ...like, id: 'like-3' },
    ];
    const concurrent = await Promise.all(Array.from({ length: 8 }, () => send(id, clientId, ...two)));
    expect(concurrent.flatMap(outcomes).filter((outcome) => outcome === 'accepted')).toHaveLength(2);
    const events = await world.events.of(id);
    expect(events.map(({ type, at: time }) => [type, time])).toEqual(
      [like, like, post, post, post].map((one) => ['member.reported', one.at]),
    );
    expect(distinct(events)).toBe(5);
    expect(new Set(events.map((event) => 'userId' in event && event.userId))).toEqual(
      new Set([userId, 'user_b']),
    );
    // Was not stored, so that it counts once its user is a member.
    await world.communities.query(
      `INSERT INTO token_gating.community_members (community_id, user_id, platform, platform_user_id)
       VALUES ($1, 'user_new', 'chat', 'nobody')`,
      [id],
    );
    expect(outcomes(await send(id, clientId, stranger))).toEqual(['accepted']);
  });

  it('interactions that a client application reports: are refused without an attachment, outside of their time, and beyond the limit of a day', async () => {
    const clientId = `client_${randomUUID()}`;
    const id = await world.communities.create({ members: ['user_b'], clients: [clientId] });
    const one = { id: '1', platformUserId: 'user_b', kind: 'post', at: at(-60) };
    expect((await send(id, 'client_strange', one)).status).toBe(403);
    expect((await send('community_none', clientId, one)).status).toBe(404);
    const bad: [object, string][] = [
      [{ ...one, at: at(-8 * 86_400) }, 'interactions.1.at'],
      [{ ...one, at: at(3_600) }, 'interactions.1.at'],
      [{ ...one, at: 'yesterday' }, 'interactions.1.at'],
      [{ ...one, kind: 'A kind' }, 'interactions.1.kind'],
      [{ ...one, id: '' }, 'interactions.1.id'],
    ];
    for (const [interaction, path] of bad)
      expect(await send(id, clientId, one, interaction)).toMatchObject({
        status: 400,
        body: { error: { details: { issues: [{ path }] } } },
      });
    const many = Array.from({ length: 1_001 }, (_, n) => ({ ...one, id: `many-${n}` }));
    for (const none of [[], many, [{ ...one, more: 1 }]])
      expect((await send(id, clientId, ...none)).status).toBe(400);
    expect(await world.events.of(id)).toEqual([]);
    await world.communities.query(
      `INSERT INTO token_gating.reported_interaction_counts
       SELECT $1, $2, (now() AT TIME ZONE 'UTC')::date + n, 99500 FROM generate_series(-1, 1) AS n`,
      [id, clientId],
    );
    expect(await send(id, clientId, ...many.slice(0, 1_000))).toMatchObject({
      status: 409,
      body: { error: { details: { code: 'interaction_limit_exceeded' } } },
    });
    expect(outcomes(await send(id, clientId, ...many.slice(0, 500)))).toHaveLength(500);
    expect((await send(id, clientId, { ...one, id: 'more' })).status).toBe(409);
  });
});

describe('a member check', () => {
  const check = async (communityId: string, ...userIds: string[]) => {
    const id = randomUUID();
    await memberChecks.add(
      'member-checks',
      { version: 1, id, communityId, userIds },
      { jobId: id, removeOnComplete: true },
    );
  };

  it('member check: is retried while a node is unavailable, and revokes nothing meanwhile', async () => {
    const [kept, added] = [`user_${++users}`, `user_${++users}`];
    const rules = [world.holds('1', { roleId: 'whale' })];
    const id = await world.communities.create({ roles: ['whale'], rules, members: [kept, added] });
    await world.communities.assign(id, kept, 'whale');
    world.book.set(added, eoa(await world.wallet(WHOLE)));
    world.book.set(kept, eoa(await world.wallet()));
    const bringBack = world.breakNode();
    await check(id, kept, added, 'user_who_left');
    await until('it was put off', async () => (await memberChecks.getJobCounts('delayed'))['delayed'] === 1);
    expect(await world.communities.assignments(id)).toEqual([`${kept} whale`]);
    bringBack();
    await until(
      'the roles are stored',
      async () => (await world.communities.assignments(id))[0] === `${added} whale`,
    );
    expect(await world.communities.assignments(id)).toEqual([`${added} whale`]);
  });

  it('member check: is retried while identity is unavailable, without a limit of attempts', async () => {
    const userId = `user_${++users}`;
    world.book.set(userId, eoa(await world.wallet(WHOLE)));
    const rules = [world.holds('1', { roleId: 'whale' })];
    const id = await world.communities.create({ roles: ['whale'], rules, members: [userId] });
    const bringBack = world.breakIdentity();
    await check(id, userId);
    let attemptsMade: number | undefined;
    await until('it was put off', async () => {
      attemptsMade = (await memberChecks.getJobs(['delayed']))[0]?.attemptsMade;
      return attemptsMade !== undefined;
    });
    expect(attemptsMade).toBe(0);
    bringBack();
    await until(
      'the role is stored',
      async () => (await world.communities.assignments(id))[0] === `${userId} whale`,
    );
  });

  it('member check: is retried when superseded by a later one that determined fewer roles', async () => {
    const userId = `user_${++users}`;
    world.book.set(userId, contractOn(world.chainId, await world.wallet(WHOLE)));
    // The user has no address on chain 1, so this role needs no chain read.
    const rules = [world.holds('1', { roleId: 'whale' }), { type: 'NATIVE', chainId: 1, roleId: 'fish' }];
    const id = await world.communities.create({ roles: ['whale', 'fish'], rules, members: [userId] });
    await world.communities.assign(id, userId, 'fish');
    const held = world.holdNextAnswer();
    await check(id, userId);
    await held.isRead;
    const bringBack = world.breakNode();
    expect((await world.roles(id, userId, asUser(userId))).status).toBe(503);
    expect(await world.communities.assignments(id)).toEqual([]);
    bringBack();
    held.release();
    await until(
      'the role is stored',
      async () => (await world.communities.assignments(id))[0] === `${userId} whale`,
    );
  });

  it('member check of a deleted community: succeeds', async () => {
    await check('community_gone', 'user_1');
    await waitUntilIdle();
    expect((await memberChecks.getJobCounts('failed'))['failed']).toBe(0);
  });
});
