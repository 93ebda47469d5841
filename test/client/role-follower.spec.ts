import { expect, it } from '@jest/globals';
import {
  createClient,
  createRoleFollower,
  type FollowedRoles,
  type RoleFollowerOptions,
} from '../../clients/typescript/src/index.js';

const COMMUNITY = 'community_1';
const json = (status: number, body: object): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
const error = (status: number, code: string): Response =>
  json(status, { error: { message: code, details: { code } } });

interface Member {
  platform?: string;
  roles: string[];
}

/** A community and somebody outside who follows its roles. */
class Followed {
  /** Members by their id on the platform. */
  readonly members = new Map<string, Member>();
  readonly asked: string[] = [];
  /** What `change` was called with, and what it made. */
  readonly changes: [string, readonly string[], readonly string[]][] = [];
  readonly errors: unknown[] = [];
  saved: FollowedRoles | undefined;
  isFailing = false;
  /** How many pages were made that link a wallet. */
  pages = 0;
  running = 0;

  readonly follower;

  constructor(options: Partial<RoleFollowerOptions> = {}) {
    const client = createClient({
      baseUrl: 'https://api.example',
      retry: { attempts: 1 },
      fetch: (url) => Promise.resolve(this.answer(new URL(new Request(url).url))),
    });
    const keys = { verify: (headers: object) => Promise.resolve(!('forged' in headers)) };
    this.follower = createRoleFollower(client, keys, {
      clientId: 'client_1',
      communityId: COMMUNITY,
      platform: 'chat',
      roles: ['collector', 'whale'],
      save: (members) => {
        this.saved = members;
      },
      change: (...change) => this.change(change),
      onError: (failure) => this.errors.push(failure),
      ...options,
    });
  }

  /** A callback that says that the roles of a member have changed, whatever they are now. */
  async hear(platformUserId: string, more: object = {}): Promise<number> {
    const common = { requestId: 'r', clientId: 'client_1', communityId: COMMUNITY, userId: 'u', roles: [] };
    const body = JSON.stringify({ ...common, platform: 'chat', platformUserId, ...more });
    const { status } = await this.follower.receive({}, body);
    // What comes next in turn ends after what the callback has begun.
    await this.follower.refresh('nobody');
    return status;
  }

  private async change(change: [string, readonly string[], readonly string[]]): Promise<void> {
    this.running += 1;
    expect(this.running).toBe(1);
    await new Promise(setImmediate);
    this.running -= 1;
    if (this.isFailing) throw new Error('the platform is down');
    if (change[0] !== 'nobody') this.changes.push(change);
  }

  private answer({ pathname, searchParams }: URL): Response {
    this.asked.push(pathname);
    if (pathname.endsWith('/platform-users')) return json(200, {});
    if (pathname.endsWith('/wallet-challenges')) {
      this.pages += 1;
      return json(200, { url: `https://api.example/wallet-links/${this.pages}` });
    }
    const [, id] = /^\/access-control\/community_1\/(\w+)\/roles$/.exec(pathname) ?? [];
    const held = id === undefined ? undefined : this.members.get(id)?.roles;
    if (held?.includes('unreadable')) return error(503, 'node_unavailable');
    if (held)
      return json(200, {
        roles: ['collector', 'whale', 'other'].map((role) => ({ id: role, granted: held.includes(role) })),
      });
    if (pathname !== `/communities/${COMMUNITY}/members`) return error(404, 'member_not_found');
    const from = Number(searchParams.get('paginationToken') ?? 0);
    const all = [...this.members].map(([platformUserId, member]) => ({
      userId: `user_${platformUserId}`,
      platform: 'chat',
      platformUserId,
      ...member,
    }));
    if (all[from]?.roles.includes('unreadable')) return error(503, 'node_unavailable');
    const isLast = from + 1 >= all.length;
    return json(200, {
      items: all.slice(from, from + 1),
      ...(!isLast && { paginationToken: String(from + 1) }),
    });
  }
}

it('createRoleFollower: acts on a callback by the roles of now, once, and says what was there before', async () => {
  const one = new Followed();
  one.members.set('7', { roles: ['collector', 'other'] });
  expect(await one.hear('7')).toBe(200);
  expect(await one.hear('7')).toBe(200);
  expect(one.changes).toEqual([['7', ['collector'], []]]);
  one.members.set('7', { roles: [] });
  await Promise.all([one.hear('7'), one.hear('7'), one.hear('7')]);
  expect(one.changes.slice(1)).toEqual([['7', [], ['collector']]]);
  expect(one.saved).toEqual({ '7': [], nobody: [] });
});

it('T422: createRoleFollower: acts on nothing that is forged, or is of another application, community, platform or member', async () => {
  const one = new Followed({ isFollowed: (id) => /^\d+$/.test(id) });
  one.members.set('7', { roles: ['whale'] });
  one.members.set('x', { roles: ['whale'] });
  expect(await one.hear('7', { clientId: 'client_2' })).toBe(403);
  expect(await one.hear('7', { communityId: 'community_2' })).toBe(200);
  expect(await one.hear('7', { platform: 'codehost' })).toBe(200);
  expect(await one.hear('x')).toBe(200);
  const { status } = await one.follower.receive({ forged: 'yes' }, '{}');
  expect(status).toBe(401);
  expect(one.asked.filter((path) => !path.includes('nobody'))).toEqual([]);
  expect(one.changes).toEqual([]);
});

it('T422: createRoleFollower: asks once for all callbacks of a member that wait, and again for one that comes later', async () => {
  const one = new Followed();
  one.members.set('7', { roles: ['whale'] });
  const asked = (): number => one.asked.filter((path) => path.includes('/7/')).length;
  await Promise.all(Array.from({ length: 100 }, () => one.hear('7')));
  expect(asked()).toBeLessThanOrEqual(2);
  const before = asked();
  await one.hear('7');
  expect(asked()).toBe(before + 1);
  expect(one.changes).toEqual([['7', ['whale'], []]]);
});

it('createRoleFollower: compares the whole list with what was kept, and takes from those who are no longer in it', async () => {
  const one = new Followed({ members: { '1': ['whale'], '2': ['whale'], '3': [] } });
  one.members.set('2', { roles: ['whale'] });
  one.members.set('3', { roles: ['whale', 'other'] });
  one.members.set('4', { roles: ['collector'], platform: 'codehost' });
  await one.follower.reconcile();
  await one.follower.reconcile();
  expect(one.changes).toEqual([
    ['1', [], ['whale']],
    ['3', ['whale'], []],
  ]);
});

it('T423: createRoleFollower: takes nothing away while roles or a part of the list cannot be read, or a change fails', async () => {
  const one = new Followed({ members: { '1': ['whale'], '2': ['whale'] } });
  one.members.set('1', { roles: [] });
  one.members.set('2', { roles: ['unreadable'] });
  await expect(one.follower.reconcile()).rejects.toMatchObject({ status: 503 });
  await expect(one.follower.refresh('2')).rejects.toMatchObject({ status: 503 });
  expect(await one.hear('2')).toBe(200);
  expect([one.changes, one.saved]).toEqual([[], { '1': ['whale'], '2': ['whale'], nobody: [] }]);
  one.members.set('2', { roles: ['whale'] });
  one.isFailing = true;
  await one.follower.reconcile();
  expect(one.errors.map(String).at(-1)).toContain('the platform is down');
  one.isFailing = false;
  await one.follower.reconcile();
  expect(one.changes).toEqual([['1', [], ['whale']]]);
});

it('T423: createRoleFollower: tries a change again that failed for who asked, also where the roles are those that it knows', async () => {
  const one = new Followed({ members: { '1': ['whale'] } });
  one.members.set('1', { roles: ['whale'] });
  one.isFailing = true;
  await expect(one.follower.refresh('1', [])).rejects.toThrow('the platform is down');
  await expect(one.follower.refresh('2', ['whale'])).rejects.toThrow('the platform is down');
  one.isFailing = false;
  await one.follower.reconcile();
  await one.follower.reconcile();
  expect(one.changes).toEqual([
    ['1', ['whale'], []],
    ['2', [], ['whale']],
  ]);
});

it('createRoleFollower: acts in any case for who asks, as if they had the given roles before', async () => {
  const one = new Followed({ members: { '1': ['whale'] } });
  one.members.set('1', { roles: ['whale'] });
  expect(await one.follower.refresh('1')).toEqual(['whale']);
  expect(await one.follower.refresh('1', [])).toEqual(['whale']);
  expect(await one.follower.refresh('2', ['whale'])).toEqual([]);
  expect(one.changes).toEqual([
    ['1', ['whale'], []],
    ['2', [], ['whale']],
  ]);
});

it('T423: createRoleFollower: retries for whom roles could not be read, as if they had the roles that were given, and asks for nobody else', async () => {
  const one = new Followed({ members: { '2': ['whale'] } });
  one.members.set('1', { roles: ['unreadable'] });
  one.members.set('2', { roles: ['unreadable'] });
  await expect(one.follower.refresh('1', ['whale'])).rejects.toMatchObject({ status: 503 });
  await one.hear('2');
  one.asked.length = 0;
  await one.follower.retry();
  expect(one.asked).toHaveLength(2);
  one.members.delete('1');
  one.members.set('2', { roles: [] });
  await one.follower.retry();
  expect(one.changes).toEqual([
    ['1', [], ['whale']],
    ['2', [], ['whale']],
  ]);
  one.asked.length = 0;
  await one.follower.retry();
  expect(one.asked).toEqual([]);
});

it('T423: createRoleFollower: retries a change that failed without a request', async () => {
  const one = new Followed({ members: { '1': ['whale'] } });
  one.members.set('1', { roles: [] });
  one.isFailing = true;
  await expect(one.follower.refresh('1')).rejects.toThrow('the platform is down');
  await one.follower.retry();
  one.isFailing = false;
  one.asked.length = 0;
  await one.follower.retry();
  await one.follower.retry();
  expect([one.changes, one.asked, one.saved]).toEqual([[['1', [], ['whale']]], [], { '1': [] }]);
});

it('createRoleFollower: saves a comparison once, without those who are no members and hold nothing', async () => {
  let saves = 0;
  const one = new Followed({
    members: { '1': ['whale'], '2': [], '3': [] },
    save: (members) => {
      saves += 1;
      one.saved = members;
    },
  });
  for (const id of ['3', '4', '5', '6']) one.members.set(id, { roles: ['whale'] });
  await one.follower.reconcile();
  await one.follower.reconcile();
  expect(one.changes).toHaveLength(5);
  expect([saves, one.saved]).toEqual([1, { '3': ['whale'], '4': ['whale'], '5': ['whale'], '6': ['whale'] }]);
});

it('T423: createRoleFollower: answers who asks again within half a minute without a request, until their roles change', async () => {
  const one = new Followed();
  const page = { roles: [], walletPage: 'https://api.example/wallet-links/1' };
  expect(await one.follower.join('1', 'ann')).toEqual(page);
  expect(one.asked).toHaveLength(3);
  for (let time = 0; time < 50; time += 1) expect(await one.follower.join('1')).toEqual(page);
  expect(one.asked).toHaveLength(3);
  // Another person is not answered with it.
  expect(await one.follower.join('2')).toEqual({
    roles: [],
    walletPage: 'https://api.example/wallet-links/2',
  });
  one.members.set('1', { roles: ['whale'] });
  await one.hear('1');
  expect(await one.follower.join('1')).toEqual({ roles: ['whale'] });
  one.asked.length = 0;
  expect(await one.follower.join('1')).toEqual({ roles: ['whale'] });
  expect(one.asked).toEqual([]);
  const letIn = ['1', ['whale'], []];
  expect(one.changes.slice(2)).toEqual([letIn, letIn, letIn]);
  // What failed is no answer.
  one.members.set('3', { roles: ['unreadable'] });
  await expect(one.follower.join('3')).rejects.toMatchObject({ status: 503 });
  one.members.set('3', { roles: ['whale'] });
  expect(await one.follower.join('3')).toEqual({ roles: ['whale'] });
});
