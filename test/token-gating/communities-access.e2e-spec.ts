import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from '../support/create-client.js';
import { type Answer, codeOf, CommunitiesWorld, type Headers, idOf } from './communities-world.js';

type Visibility = 'public' | 'members' | 'hidden';

/** What a caller is to the community. */
interface Caller {
  kind: 'anonymous' | 'client' | 'user';
  isAttached?: boolean;
  isMember?: boolean;
  isAdministrator?: boolean;
  isOwner?: boolean;
  lacksScope?: boolean;
}

/** The outcome of a call; `done` is any status that the operation itself decides, not the caller. */
type Outcome = 'done' | 'not found' | 'forbidden' | 'unauthorized' | 'no scope';

const CALLERS: Record<string, Caller> = {
  'an anonymous caller': { kind: 'anonymous' },
  'a member whose token has no scope': { kind: 'user', isMember: true, lacksScope: true },
  'a client application that is not attached': { kind: 'client' },
  'a user of an attached client application': { kind: 'user' },
  'a stranger': { kind: 'user' },
  'a member': { kind: 'user', isMember: true },
  'an attached client application': { kind: 'client', isAttached: true },
  'an administrator': { kind: 'user', isAdministrator: true },
  'the owner': { kind: 'user', isAdministrator: true, isOwner: true },
};

/** The rule of contract.md section 7, implemented independently. */
function maySee(visibility: Visibility, { isAttached, isMember, isAdministrator }: Caller): boolean {
  if (isAttached === true || isAdministrator === true || visibility === 'public') return true;
  return visibility === 'members' && isMember === true;
}

/** What an operation requires of callers who may see the community. */
const NEEDS = {
  see: () => 'done',
  belong: ({ isMember, isAdministrator, isAttached }) =>
    isMember === true || isAdministrator === true || isAttached === true ? 'done' : 'not found',
  inspect: ({ isAdministrator, isAttached }) =>
    isAdministrator === true || isAttached === true ? 'done' : 'not found',
  manage: ({ isAdministrator }) => (isAdministrator === true ? 'done' : 'not found'),
  run: ({ isAdministrator, isAttached }) =>
    isAdministrator === true || isAttached === true ? 'done' : 'forbidden',
  administer: ({ isAdministrator }) => (isAdministrator === true ? 'done' : 'forbidden'),
  own: ({ isOwner }) => (isOwner === true ? 'done' : 'forbidden'),
  attached: ({ isAttached }) => (isAttached === true ? 'done' : 'forbidden'),
} satisfies Record<string, (caller: Caller) => Outcome>;

interface Operation {
  call: string;
  for: 'either' | 'user' | 'client';
  need: keyof typeof NEEDS;
  body?: object;
  /** The status for a permitted caller; 404 or 409 where the target does not exist. */
  done: number;
}

const USERS = { users: [{ platform: 'chat', platformUserId: 'one' }] };
/** Operations by method and path below the community. */
const OPERATIONS: Operation[] = [
  { call: 'GET ', for: 'either', need: 'see', done: 200 },
  { call: 'PATCH ', for: 'user', need: 'administer', done: 200 },
  { call: 'DELETE ', for: 'user', need: 'own', done: 200 },
  { call: 'PUT /owner', for: 'user', need: 'own', body: { userId: 'user_x' }, done: 409 },
  { call: 'GET /administrators', for: 'either', need: 'inspect', done: 200 },
  { call: 'PUT /administrators/user_x', for: 'user', need: 'own', done: 404 },
  { call: 'DELETE /administrators/user_x', for: 'user', need: 'own', done: 404 },
  { call: 'GET /roles', for: 'either', need: 'see', done: 200 },
  { call: 'POST /roles', for: 'user', need: 'administer', body: { name: 'R' }, done: 201 },
  { call: 'PATCH /roles/x', for: 'user', need: 'administer', done: 404 },
  { call: 'DELETE /roles/x', for: 'user', need: 'administer', done: 404 },
  { call: 'GET /rules', for: 'either', need: 'belong', done: 200 },
  { call: 'PUT /rules', for: 'user', need: 'administer', body: { rules: [] }, done: 200 },
  { call: 'GET /members', for: 'either', need: 'inspect', done: 200 },
  { call: 'POST /members', for: 'user', need: 'see', done: 200 },
  { call: 'DELETE /members/user_x', for: 'either', need: 'run', done: 404 },
  { call: 'PUT /platform-users', for: 'client', need: 'attached', body: USERS, done: 200 },
  { call: 'GET /client-applications', for: 'either', need: 'manage', done: 200 },
  { call: 'PUT /client-applications/client_x', for: 'user', need: 'administer', done: 404 },
  { call: 'DELETE /client-applications/client_x', for: 'user', need: 'administer', done: 404 },
];

function expected(operation: Operation, visibility: Visibility, caller: Caller): Outcome {
  if (caller.kind === 'anonymous') return 'unauthorized';
  if (caller.kind === 'client' && operation.for === 'user') return 'unauthorized';
  if (caller.lacksScope === true) return 'no scope';
  return maySee(visibility, caller) ? NEEDS[operation.need](caller) : 'not found';
}

function outcomeOf(answer: Answer, { done }: Operation): string {
  const code = codeOf(answer);
  if (answer.status === 401) return 'unauthorized';
  if (answer.status === 403) return code === 'scope_required' ? 'no scope' : 'forbidden';
  if (answer.status === 404 && code === 'community_not_found') return 'not found';
  return answer.status === done ? 'done' : `${answer.status} ${String(code)}`;
}

describe('access to a community', () => {
  let world: CommunitiesWorld;
  let attached: Client;
  let headers: Record<string, Headers>;
  const ids: Record<string, string> = {};

  beforeAll(async () => {
    world = await CommunitiesWorld.lease();
    attached = await world.newClient();
    for (const [name, { kind }] of Object.entries(CALLERS))
      if (kind === 'user') ids[name] = await world.newUser();
    headers = Object.fromEntries(Object.keys(CALLERS).map((name) => [name, headersOf(name)]));
  }, 120_000);

  function headersOf(name: string): Headers {
    const { kind, isAttached, lacksScope } = CALLERS[name] ?? { kind: 'anonymous' };
    if (kind === 'anonymous') return {};
    if (kind === 'client') return { 'x-api-key': (isAttached === true ? attached : world.client).apiKey };
    const client = name.includes('attached') ? attached : world.client;
    return world.as(ids[name] ?? '', { client, ...(lacksScope === true ? { scopes: [] } : {}) });
  }

  /** Creates a community with all callers in their roles. @returns its path */
  async function community(visibility: Visibility): Promise<string> {
    const path = await world.newCommunity(ids['the owner'] ?? '', { visibility });
    await world.query(
      `INSERT INTO token_gating.community_administrators (community_id, user_id) VALUES ($1, $2)`,
      [idOf(path), ids['an administrator']],
    );
    await world.query(
      `INSERT INTO token_gating.community_members (community_id, user_id, platform, platform_user_id)
       SELECT $1, id, 'ethereum', id FROM unnest($2::text[]) AS id`,
      [idOf(path), [ids['a member'], ids['a member whose token has no scope']]],
    );
    await world.query('UPDATE token_gating.communities SET member_count = 2 WHERE id = $1', [idOf(path)]);
    await world.query(
      `INSERT INTO token_gating.community_clients (community_id, client_id) VALUES ($1, $2)`,
      [idOf(path), attached.clientId],
    );
    return path;
  }

  const ask = (operation: Operation, path: string, name: string): Promise<Answer> => {
    const [method = '', below = ''] = operation.call.split(' ');
    return world.call(method, path + below, headers[name] ?? {}, operation.body);
  };

  describe.each<Visibility>(['public', 'members', 'hidden'])('with the visibility %s', (visibility) => {
    it.each(OPERATIONS)('access to a community: $call', async (operation) => {
      const path = await community(visibility);
      const outcomes: Record<string, unknown> = {};
      for (const name of Object.keys(CALLERS))
        outcomes[name] = outcomeOf(await ask(operation, path, name), operation);
      const wanted = Object.entries(CALLERS).map(([name, caller]) => [
        name,
        expected(operation, visibility, caller),
      ]);
      expect(outcomes).toEqual(Object.fromEntries(wanted));
    });

    it('access to a community: may be left by every member, also by one who may not see it', async () => {
      const path = await community(visibility);
      const leave = (name: string) => world.call('DELETE', `${path}/members/me`, headers[name] ?? {});
      for (const name of ['a stranger', 'an administrator'])
        expect(codeOf(await leave(name))).toBe('community_not_found');
      expect((await leave('a member')).status).toBe(200);
      expect(codeOf(await leave('a member'))).toBe('community_not_found');
    });
  });

  it('access to a community: is indistinguishable from a missing community for callers who may not see it', async () => {
    const path = await community('hidden');
    for (const operation of OPERATIONS) {
      const name = operation.for === 'client' ? 'a client application that is not attached' : 'a stranger';
      const [unseen, missing] = [
        await ask(operation, path, name),
        await ask(operation, '/communities/community_0', name),
      ];
      expect([operation.call, withoutId(unseen)]).toEqual([operation.call, withoutId(missing)]);
    }
  });
});

const withoutId = ({ status, body }: Answer) => [
  status,
  JSON.stringify(body, (name, value: unknown) => (name === 'requestId' ? '' : value)),
];
