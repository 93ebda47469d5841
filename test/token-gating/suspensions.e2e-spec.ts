import { PRINCIPAL_HEADER, PrincipalIssuer, type Principal } from '@app/auth';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { CallbackLog } from '../support/callback-log.js';
import { until } from '../support/until.js';
import { asClient, asUser, RolesWorld } from './roles-world.js';
import { eoa } from './wallet-book.js';

const WHOLE = 10n ** 18n;
const ADMINISTRATOR = 'user_admin';
const BOT = 'client_bot';

let receiver: CallbackLog;
let world: RolesWorld;
let users = 0;

beforeAll(async () => {
  receiver = await CallbackLog.start();
  world = await RolesWorld.start({
    CALLBACK_ALLOW_CIDRS: '127.0.0.0/8',
    CALLBACK_POLL_MS: '100',
    SWEEP_INTERVAL_MS: '100',
    SWEEP_AFTER_MS: '500',
    QUEUE_BACKOFF_MS: '5',
    CHECK_REREAD_AFTER_MS: '100',
  });
});

afterAll(async () => {
  await world.stop();
  await receiver.stop();
});

beforeEach(() => {
  receiver.acceptAll();
});

const reader = (as: Principal): Principal =>
  as.kind === 'caller' ? { ...as, scopes: ['community:read'] } : as;
const read = (path: string, as: Principal) => world.gating.request('GET', path, undefined, {}, reader(as));
const write = (method: string, path: string, as: Principal, body?: object) => {
  const writer: Principal = as.kind === 'caller' ? { ...as, scopes: ['community:write'] } : as;
  return world.gating.request(method, path, body && JSON.stringify(body), {}, writer);
};
const codeOf = ({ status, body }: { status: number; body: unknown }): string | number => {
  const { error } = (body ?? {}) as { error?: { details: { code: string } } };
  return error ? `${String(status)} ${error.details.code}` : status;
};

async function asOperator(path: string, body: object): Promise<unknown> {
  const issuer = new PrincipalIssuer(world.gating.signingKey('identity'));
  const response = await fetch(`${world.gating.app.url}/internal/community-suspensions/${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: {
      [PRINCIPAL_HEADER]: await issuer.issueToken({ kind: 'service', name: 'identity' }, 'token-gating'),
      'content-type': 'application/json',
    },
  });
  expect(response.status).toBe(200);
  return response.json();
}

const suspend = (communityId: string) => asOperator('set', { communityId, reason: 'It imitates another' });
const resume = (communityId: string) => asOperator('remove', { communityId });

/** A community with a member who owns one coin, an administrator and an attached application with callbacks. */
async function community(visibility: 'public' | 'members' = 'public') {
  const member = `user_member_${String((users += 1))}`;
  world.book.set(member, eoa(await world.wallet(WHOLE)));
  const id = await world.communities.create({
    visibility,
    roles: ['fish'],
    rules: [world.holds('1', { roleId: 'fish' })],
    members: [member],
    administrators: [ADMINISTRATOR],
    clients: [BOT],
  });
  await world.communities.query(
    'UPDATE token_gating.community_clients SET callback_url = $1 WHERE community_id = $2',
    [receiver.url(), id],
  );
  return { id, member, path: `/communities/${id}` };
}
type Community = Awaited<ReturnType<typeof community>>;

const callbacks = ({ id }: Community) =>
  receiver.seen
    .map(({ body }) => JSON.parse(body.toString()) as { communityId: string; roles: object[] })
    .filter(({ communityId }) => communityId === id)
    .map(({ roles }) => roles);

const idsOf = async (path: string, as: Principal): Promise<string[]> =>
  ((await read(path, as)).body as { items: { id: string }[] }).items.map(({ id }) => id);

describe('a suspended community', () => {
  it('communities: a suspended one is read by those who run it, and 404 for others', async () => {
    for (const visibility of ['public', 'members'] as const) {
      const [suspended, victim] = [await community(visibility), await community(visibility)];
      await suspend(suspended.id);
      for (const as of [asUser(ADMINISTRATOR), asClient(BOT)]) {
        expect((await read(suspended.path, as)).body).toMatchObject({ status: 'suspended' });
        for (const part of ['/members', '/roles', '/rules', '/balance-checks', '/administrators'])
          expect(codeOf(await read(suspended.path + part, as))).toBe(200);
        expect((await read(victim.path, as)).body).toMatchObject({ status: 'active' });
      }
      for (const as of [asUser(suspended.member), asUser('user_stranger'), asClient('client_other')])
        for (const part of ['', '/members', '/roles', '/rules'])
          expect(codeOf(await read(suspended.path + part, as))).toBe('404 community_not_found');
      expect(codeOf(await read(victim.path, asUser(victim.member)))).toBe(200);
      await resume(suspended.id);
      expect((await read(suspended.path, asUser(suspended.member))).body).toMatchObject({ status: 'active' });
    }
  });

  it('community lists: a suspended one is listed for those who run it only', async () => {
    const [suspended, victim] = [await community(), await community()];
    await suspend(suspended.id);
    for (const as of [asUser(suspended.member), asUser('user_stranger'), asClient('client_other')]) {
      const listed = await idsOf('/communities?limit=100', as);
      expect([listed.includes(suspended.id), listed.includes(victim.id)]).toEqual([false, true]);
    }
    const listOwn = async (path: string, userId: string) => {
      const as = asUser(userId, 'user:community:read');
      return JSON.stringify((await world.gating.request('GET', path, undefined, {}, as)).body);
    };
    expect(await listOwn('/account/communities', suspended.member)).not.toContain(suspended.id);
    expect(await listOwn('/account/communities', victim.member)).toContain(victim.id);
    for (const as of [asUser(ADMINISTRATOR), asClient(BOT)])
      expect(await idsOf('/communities?limit=100', as)).toContain(suspended.id);
    expect(await listOwn('/account/administrated-communities', ADMINISTRATOR)).toContain(suspended.id);
  });

  it('changes: those who run a suspended community get 403, its members leave, and its owner deletes it', async () => {
    const [suspended, victim] = [await community('members'), await community('members')];
    const { inviteLink } = (await read(suspended.path, asUser(ADMINISTRATOR))).body as { inviteLink: string };
    const invitation = inviteLink.split('/').pop() ?? '';
    await suspend(suspended.id);
    const newcomer = { platform: 'chat', platformUserId: '77' };
    const report = {
      id: 'post-1',
      platformUserId: suspended.member,
      kind: 'post',
      at: new Date().toISOString(),
    };
    const changes = ({ path, member }: Community): [string, string, Principal, object?][] => [
      ['PATCH', path, asUser(ADMINISTRATOR), { name: 'Renamed' }],
      ['PUT', `${path}/rules`, asUser(ADMINISTRATOR), { rules: [] }],
      ['POST', `${path}/roles`, asUser(ADMINISTRATOR), { id: 'whale', name: 'Whale' }],
      ['POST', `${path}/members`, asUser(ADMINISTRATOR), {}],
      ['DELETE', `${path}/members/${member}`, asUser(ADMINISTRATOR)],
      ['POST', `${path}/balance-checks`, asUser(ADMINISTRATOR)],
      ['POST', `${path}/balance-checks`, asClient(BOT)],
      ['PUT', `${path}/platform-users`, asClient(BOT), { users: [newcomer] }],
      ['PUT', `${path}/interactions`, asClient(BOT), { interactions: [report] }],
      ['DELETE', `${path}/client-applications/${BOT}`, asUser(ADMINISTRATOR)],
    ];
    world.book.asked.length = 0;
    for (const change of changes(suspended))
      expect([change[1], codeOf(await write(...change))]).toEqual([change[1], '403 community_suspended']);
    expect(world.book.asked).not.toContain('/internal/platform-users');
    for (const change of changes(victim))
      expect(String(codeOf(await write(...change)))).not.toMatch(/suspended/);
    for (const body of [{}, { invitation }])
      expect(codeOf(await write('POST', `${suspended.path}/members`, asUser('user_stranger'), body))).toBe(
        '404 community_not_found',
      );
    expect(codeOf(await read(`${suspended.path}/invitations/${invitation}`, asUser('user_stranger')))).toBe(
      '404 community_not_found',
    );
    expect(await write('DELETE', `${suspended.path}/members/me`, asUser(suspended.member))).toMatchObject({
      status: 200,
    });
    expect(await write('DELETE', suspended.path, asUser(ADMINISTRATOR))).toMatchObject({ status: 403 });
    await world.communities.query(
      'INSERT INTO token_gating.community_administrators (community_id, user_id) VALUES ($1, $2)',
      [suspended.id, 'user_owner'],
    );
    expect(await write('DELETE', suspended.path, asUser('user_owner'))).toMatchObject({ status: 200 });
  });

  it('getRoles: is 403 community_suspended for members and those who run it, 404 for others, and stores nothing', async () => {
    const [suspended, victim] = [await community(), await community()];
    const held = world.holdNextAnswer();
    const running = world.roles(suspended.id, suspended.member, asUser(suspended.member));
    await held.isRead;
    await suspend(suspended.id);
    held.release();
    expect(codeOf(await running)).toBe('403 community_suspended');
    for (const as of [asUser(suspended.member), asUser(ADMINISTRATOR), asClient(BOT)])
      expect(codeOf(await world.roles(suspended.id, suspended.member, as))).toBe('403 community_suspended');
    for (const as of [asUser('user_stranger'), asClient('client_other')])
      expect(codeOf(await world.roles(suspended.id, suspended.member, as))).toBe('404 community_not_found');
    expect(await world.communities.assignments(suspended.id)).toEqual([]);
    expect(codeOf(await world.roles(victim.id, victim.member, asUser(victim.member)))).toBe(200);
    await resume(suspended.id);
    expect(codeOf(await world.roles(suspended.id, suspended.member, asUser(suspended.member)))).toBe(200);
  });

  it('checks: neither queued nor scheduled ones run while a community is suspended, and all members are checked then', async () => {
    const [suspended, victim] = [await community(), await community()];
    await suspend(suspended.id);
    const checks = world.queue('member-checks');
    for (const { id, member } of [suspended, victim])
      await checks.add('member-checks', {
        version: 1,
        id: crypto.randomUUID(),
        communityId: id,
        userIds: [member],
      });
    await world.communities.query(
      'UPDATE token_gating.communities SET next_check_at = now() WHERE id = ANY($1::text[])',
      [[suspended.id, victim.id]],
    );
    await until(
      'the victim has its role',
      async () => (await world.communities.assignments(victim.id)).length > 0,
    );
    await sleep(500);
    expect(await world.communities.assignments(suspended.id)).toEqual([]);
    const runs = await world.communities.query(
      'SELECT FROM token_gating.balance_checks WHERE community_id = $1',
      [suspended.id],
    );
    expect(runs).toEqual([]);
    await resume(suspended.id);
    await until(
      'its member is checked',
      async () => (await world.communities.assignments(suspended.id)).length > 0,
    );
  });

  it('balance checks: a running one waits while its community is suspended, and begins again then', async () => {
    const suspended = await community();
    const held = world.holdNextAnswer();
    const started = await write('POST', `${suspended.path}/balance-checks`, asUser(ADMINISTRATOR));
    expect(started.status).toBe(202);
    await held.isRead;
    await suspend(suspended.id);
    held.release();
    await sleep(1_500); // a few sweeps
    expect(await world.communities.assignments(suspended.id)).toEqual([]);
    const path = `${suspended.path}/balance-checks/${(started.body as { id: string }).id}`;
    expect((await read(path, asUser(ADMINISTRATOR))).body).toMatchObject({ state: 'running', done: 0 });
    await resume(suspended.id);
    await until('it is done', async () => {
      const { state } = (await read(path, asUser(ADMINISTRATOR))).body as { state: string };
      return state === 'done';
    });
    expect(await world.communities.assignments(suspended.id)).toEqual([`${suspended.member} fish`]);
  });

  it('role callbacks: wait while their community is suspended, and are sent then', async () => {
    const [suspended, victim] = [await community(), await community()];
    for (const { id, member } of [suspended, victim]) await world.communities.assign(id, member, 'fish');
    await suspend(suspended.id);
    for (const { path, member } of [suspended, victim])
      expect(codeOf(await write('DELETE', `${path}/members/me`, asUser(member)))).toBe(200);
    const lost = [{ id: 'fish', granted: false }];
    await until('the victim is told', () => callbacks(victim).length > 0);
    expect(callbacks(victim)).toEqual([lost]);
    await sleep(500);
    expect(callbacks(suspended)).toEqual([]);
    await resume(suspended.id);
    const due = await world.communities.query(
      `UPDATE token_gating.deliveries SET next_attempt_at = now()
       WHERE payload ->> 'communityId' = $1 AND state = 'pending' RETURNING id`,
      [suspended.id],
    );
    expect(due).toHaveLength(1);
    await until('the suspended one is told', () => callbacks(suspended).length > 0);
    expect(callbacks(suspended)).toEqual([lost]);
  });

  it('suspensions: are listed, keep their time when the reason changes, and are found by id', async () => {
    const { id } = await community();
    const find = () =>
      asOperator('find', { communityId: id }) as Promise<{ community: { suspension?: object } }>;
    expect((await find()).community).toMatchObject({ communityId: id, name: 'Demo', ownerId: 'user_owner' });
    expect((await find()).community.suspension).toBeUndefined();
    await suspend(id);
    const { suspension } = (await find()).community as { suspension: { since: string } };
    const changed = await asOperator('set', { communityId: id, reason: 'Another reason' });
    expect(changed).toMatchObject({
      community: { suspension: { reason: 'Another reason', since: suspension.since } },
    });
    expect(await asOperator('set', { communityId: 'community_none', reason: 'x' })).toEqual({});
    expect(await asOperator('remove', { communityId: 'community_none' })).toEqual({});
  });
});
