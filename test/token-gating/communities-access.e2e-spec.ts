import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from '../support/create-client.js';
import { type Answer, codeOf, CommunitiesWorld, type Headers, idOf } from './communities-world.js';

type Visibility = 'public' | 'members' | 'hidden';

/** Who somebody is to the community. */
interface Standing {
  who: 'nobody' | 'client' | 'user';
  isAttached?: boolean;
  isMember?: boolean;
  isAdministrator?: boolean;
  isOwner?: boolean;
  lacksScope?: boolean;
}

/** What may come of a call; `done` is whatever follows from the operation itself, not from who asks. */
type Outcome = 'done' | 'not there' | 'not allowed' | 'who are you' | 'no scope';

const CALLERS: Record<string, Standing> = {
  nobody: { who: 'nobody' },
  'a member whose token has no scope': { who: 'user', isMember: true, lacksScope: true },
  'a client application that is not attached': { who: 'client' },
  'a user of an attached client application': { who: 'user' },
  'a stranger': { who: 'user' },
  'a member': { who: 'user', isMember: true },
  'an attached client application': { who: 'client', isAttached: true },
  'an administrator': { who: 'user', isAdministrator: true },
  'the owner': { who: 'user', isAdministrator: true, isOwner: true },
};

/** contract.md section 7, once more. */
function maySee(visibility: Visibility, { isAttached, isMember, isAdministrator }: Standing): boolean {
  if (isAttached === true || isAdministrator === true || visibility === 'public') return true;
  return visibility === 'members' && isMember === true;
}

/** What an operation asks of those who see the community. */
const NEEDS = {
  see: () => 'done',
  belong: ({ isMember, isAdministrator, isAttached }) =>
    isMember === true || isAdministrator === true || isAttached === true ? 'done' : 'not there',
  inspect: ({ isAdministrator, isAttached }) =>
    isAdministrator === true || isAttached === true ? 'done' : 'not there',
  manage: ({ isAdministrator }) => (isAdministrator === true ? 'done' : 'not there'),
  run: ({ isAdministrator, isAttached }) =>
    isAdministrator === true || isAttached === true ? 'done' : 'not allowed',
  administer: ({ isAdministrator }) => (isAdministrator === true ? 'done' : 'not allowed'),
  own: ({ isOwner }) => (isOwner === true ? 'done' : 'not allowed'),
  attached: ({ isAttached }) => (isAttached === true ? 'done' : 'not allowed'),
} satisfies Record<string, (standing: Standing) => Outcome>;

interface Operation {
  call: string;
  for: 'either' | 'user' | 'client';
  need: keyof typeof NEEDS;
  body?: object;
  /** Statuses of what is done, a missing part among them: targets need not exist. */
  done: number;
}

const USERS = { users: [{ platform: 'chat', platformUserId: 'one' }] };
/** By method and path below the community. What changes who is who stands at the end of its kind and does nothing twice. */
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

function expected(operation: Operation, visibility: Visibility, standing: Standing): Outcome {
  if (standing.who === 'nobody') return 'who are you';
  if (standing.who === 'client' && operation.for === 'user') return 'who are you';
  if (standing.lacksScope === true) return 'no scope';
  return maySee(visibility, standing) ? NEEDS[operation.need](standing) : 'not there';
}

function outcomeOf(answer: Answer, { done }: Operation): string {
  const code = codeOf(answer);
  if (answer.status === 401) return 'who are you';
  if (answer.status === 403) return code === 'scope_required' ? 'no scope' : 'not allowed';
  if (answer.status === 404 && code === 'community_not_found') return 'not there';
  return answer.status === done ? 'done' : `${answer.status} ${String(code)}`;
}

describe('who may do what to a community', () => {
  let world: CommunitiesWorld;
  let attached: Client;
  let headers: Record<string, Headers>;
  const ids: Record<string, string> = {};

  beforeAll(async () => {
    world = await CommunitiesWorld.start();
    attached = await world.newClient();
    for (const [name, { who }] of Object.entries(CALLERS))
      if (who === 'user') ids[name] = await world.newUser();
    headers = Object.fromEntries(Object.keys(CALLERS).map((name) => [name, headersOf(name)]));
  }, 120_000);

  afterAll(async () => {
    await world.stop();
  });

  function headersOf(name: string): Headers {
    const { who, isAttached, lacksScope } = CALLERS[name] ?? { who: 'nobody' };
    if (who === 'nobody') return {};
    if (who === 'client') return { 'x-api-key': (isAttached === true ? attached : world.client).apiKey };
    const client = name.includes('attached') ? attached : world.client;
    return world.as(ids[name] ?? '', { client, ...(lacksScope === true ? { scopes: [] } : {}) });
  }

  /** One with everybody in their place. @returns its path */
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

  describe.each<Visibility>(['public', 'members', 'hidden'])('that is for: %s', (visibility) => {
    it.each(OPERATIONS)('$call', async (operation) => {
      const path = await community(visibility);
      const outcomes: Record<string, unknown> = {};
      for (const name of Object.keys(CALLERS))
        outcomes[name] = outcomeOf(await ask(operation, path, name), operation);
      const wanted = Object.entries(CALLERS).map(([name, standing]) => [
        name,
        expected(operation, visibility, standing),
      ]);
      expect(outcomes).toEqual(Object.fromEntries(wanted));
    });

    it('leave it, for those who belong to it, also when they do not see it', async () => {
      const path = await community(visibility);
      const leave = (name: string) => world.call('DELETE', `${path}/members/me`, headers[name] ?? {});
      for (const name of ['a stranger', 'an administrator'])
        expect(codeOf(await leave(name))).toBe('community_not_found');
      expect((await leave('a member')).status).toBe(200);
      expect(codeOf(await leave('a member'))).toBe('community_not_found');
    });
  });

  it('what one may not see looks like what does not exist', async () => {
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
