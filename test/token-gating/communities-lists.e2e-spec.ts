import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Answer, codeOf, CommunitiesWorld, type Headers, idOf, type Json } from './communities-world.js';

let world: CommunitiesWorld;
let userId: string;
let user: Headers;

beforeAll(async () => {
  world = await CommunitiesWorld.lease();
  userId = await world.newUser();
  user = world.as(userId);
}, 120_000);

const itemsOf = ({ items }: Json): Json[] => items as Json[];

/** Loads all pages. @param between runs after each page */
async function pagesOf(
  path: string,
  headers: Headers,
  between?: (page: Json[], index: number) => Promise<void>,
): Promise<Json[][]> {
  const pages: Json[][] = [];
  let token: string | undefined;
  do {
    const query: string = token === undefined ? '' : `&paginationToken=${token}`;
    const page = await world.expectOk('GET', `${path}?limit=3${query}`, headers);
    pages.push(itemsOf(page));
    token = page['paginationToken'] as string | undefined;
    await between?.(itemsOf(page), pages.length);
  } while (token !== undefined);
  return pages;
}

/** Inserts members who joined one second apart, an hour ago. */
async function withMembers(path: string, count: number): Promise<void> {
  await world.query(
    `INSERT INTO token_gating.community_members (community_id, user_id, platform, platform_user_id, joined_at)
     SELECT $1, 'user_' || n, 'chat', n, now() - interval '1 hour' + n * interval '1 second'
     FROM generate_series(1, $2::int) AS n`,
    [idOf(path), count],
  );
  await world.query('UPDATE token_gating.communities SET member_count = $2 WHERE id = $1', [
    idOf(path),
    count,
  ]);
}

describe('pages of members', () => {
  it('pages of members: contain each member who stays once while others join and leave', async () => {
    const path = await world.newCommunity(userId, { visibility: 'public' });
    await withMembers(path, 11);
    const seen = await pagesOf(`${path}/members`, user, async (page, index) => {
      if (index > 3) return;
      // A listed member leaves, a member who is not listed yet leaves, and a user joins.
      await world.expectOk('DELETE', `${path}/members/${String(page[0]?.['userId'])}`, user);
      if (index === 1) await world.expectOk('DELETE', `${path}/members/user_8`, user);
      await world.expectOk('POST', `${path}/members`, world.as(await world.newUser()));
    });
    const ids = seen.flat().map((member) => String(member['userId']));
    const stayed = [1, 2, 3, 4, 5, 6, 7, 9, 10, 11].map((n) => `user_${n}`);
    expect(ids.slice(0, 10)).toEqual(stayed);
    expect(new Set(ids).size).toBe(ids.length);
    expect(seen.slice(0, -1).every((page) => page.length === 3)).toBe(true);
  });

  it('pages of members: do not skip members who joined at the same time', async () => {
    const path = await world.newCommunity(userId);
    await withMembers(path, 7);
    const sql = "UPDATE token_gating.community_members SET joined_at = '2026-01-01' WHERE community_id = $1";
    await world.query(sql, [idOf(path)]);
    const seen = (await pagesOf(`${path}/members`, user)).flat();
    expect(seen.map((member) => member['platformUserId'])).toEqual(['1', '2', '3', '4', '5', '6', '7']);
  });
});

describe('a page request', () => {
  let lists: string[];

  beforeAll(async () => {
    const path = await world.newCommunity(userId, { visibility: 'public' });
    const other = await world.newCommunity(userId, { visibility: 'public' });
    for (const one of [path, other]) {
      await withMembers(one, 3);
      await world.expectOk('POST', `${one}/members`, user);
    }
    lists = [
      '/communities',
      '/account/communities',
      '/account/administrated-communities',
      `${path}/members`,
      `${other}/members`,
    ];
  });

  it.each([
    'limit=0',
    'limit=101',
    'limit=abc',
    'limit=-1',
    'limit=1e1',
    'paginationToken=',
    'paginationToken=x',
  ])('page request: is rejected with %s', async (query) => {
    for (const list of lists) {
      const { status, body } = await world.get(`${list}?${query}`, user);
      expect([list, status]).toEqual([list, 400]);
      const [field] = query.split('=');
      expect(body).toMatchObject({
        error: { name: 'BadRequestError', details: { issues: [{ path: field }] } },
      });
    }
  });

  it('page request: accepts a pagination token only for its list and caller', async () => {
    const stranger = world.as(await world.newUser());
    const tokens: unknown[] = [];
    for (const list of lists)
      tokens.push((await world.expectOk('GET', `${list}?limit=1`, user))['paginationToken']);
    for (const [index, list] of lists.entries()) {
      for (const [at, token] of tokens.entries()) {
        const turn = (headers: Headers): Promise<Answer> =>
          world.get(`${list}?limit=1&paginationToken=${String(token)}`, headers);
        const answer = await turn(user);
        expect([list, lists[at], answer.status]).toEqual([list, lists[at], at === index ? 200 : 400]);
        if (at !== index) expect(codeOf(answer)).toBe('pagination_token_invalid');
        else if (!list.endsWith('/members')) expect((await turn(stranger)).status).toBe(400);
      }
    }
  });

  it.each(['/account/communities', '/account/administrated-communities'])(
    'page request: %s requires a user with the scope',
    async (path) => {
      const answers = await Promise.all([
        world.get(path, {}),
        world.get(path, { 'x-api-key': world.client.apiKey }),
        world.get(path, world.as(userId, { scopes: ['community:read'] })),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([401, 401, 403]);
      for (const { body } of answers)
        expect(body).toMatchObject({
          error: { name: expect.any(String), details: { code: expect.any(String) } },
        });
    },
  );
});

describe('the communities of a user', () => {
  it('communities of a user: are all listed without a limit, with the fields that the user may see', async () => {
    const [ownerId, memberId] = [await world.newUser(), await world.newUser()];
    const [owner, member] = [world.as(ownerId), world.as(memberId)];
    const paths: string[] = [];
    for (let made = 0; made < 30; made += 1) {
      const path = await world.newCommunity(ownerId, { visibility: 'public' });
      await world.expectOk('POST', `${path}/members`, member);
      paths.push(path);
    }
    const [first = '', second = ''] = paths;
    await world.expectOk('PATCH', first, owner, { visibility: 'hidden' });
    await world.expectOk('PATCH', second, owner, { visibility: 'members' });
    await world.expectOk('POST', `${second}/roles`, owner, { id: 'r', name: 'R' });

    const joined = await world.expectOk('GET', '/account/communities', member);
    expect(joined).not.toHaveProperty('paginationToken');
    expect(itemsOf(joined).map(({ id }) => `/communities/${String(id)}`)).toEqual(paths.slice(1));
    const [shown = {}] = itemsOf(joined);
    expect(shown).toMatchObject({ visibility: 'members', roles: [{ id: 'r', name: 'R' }] });
    for (const field of ['ownerId', 'inviteLink', 'tpcs']) expect(shown).not.toHaveProperty(field);

    const run = await world.expectOk('GET', '/account/administrated-communities', owner);
    expect(itemsOf(run).map(({ id }) => `/communities/${String(id)}`)).toEqual(paths);
    expect(itemsOf(run)[0]).toMatchObject({ visibility: 'hidden', ownerId });
    expect(itemsOf(run)[1]).toMatchObject({ inviteLink: expect.any(String) });
    expect((await pagesOf('/account/communities', member)).flat()).toEqual(itemsOf(joined));
    expect((await pagesOf('/account/administrated-communities', owner)).flat()).toEqual(itemsOf(run));
  });

  it('communities of a user: include a hidden one for a member who is its administrator', async () => {
    const ownerId = await world.newUser();
    const path = await world.newCommunity(ownerId, { visibility: 'hidden' });
    await world.expectOk('POST', `${path}/members`, world.as(ownerId));
    const { items } = await world.expectOk('GET', '/account/communities', world.as(ownerId));
    expect(items).toMatchObject([{ id: idOf(path), ownerId }]);
  });

  it('communities of a user: end a page before it has too many roles, and continue on the next page', async () => {
    const ownerId = await world.newUser();
    for (let made = 0; made < 45; made += 1) {
      const path = await world.newCommunity(ownerId);
      await world.query(
        `INSERT INTO token_gating.community_roles (community_id, id, name, position)
         SELECT $1, 'r' || n, 'R', n FROM generate_series(1, 250) AS n`,
        [idOf(path)],
      );
    }
    const list = '/account/administrated-communities';
    const page = await world.expectOk('GET', list, world.as(ownerId));
    expect(itemsOf(page)).toHaveLength(40);
    const next = `${list}?paginationToken=${String(page['paginationToken'])}`;
    const rest = await world.expectOk('GET', next, world.as(ownerId));
    expect(itemsOf(rest)).toHaveLength(5);
    expect(rest).not.toHaveProperty('paginationToken');
  });

  it('communities of a user: are recounted on request', async () => {
    const ownerId = await world.newUser();
    const [right, wrong] = [await world.newCommunity(ownerId), await world.newCommunity(ownerId)];
    for (const path of [right, wrong]) await withMembers(path, 4);
    await world.query('UPDATE token_gating.communities SET member_count = 9 WHERE id = $1', [idOf(wrong)]);
    const versions = async () =>
      world.query('SELECT id, xmin::text FROM token_gating.communities WHERE id = $1', [idOf(right)]);
    const before = await versions();
    const list = '/account/administrated-communities';
    const countsIn = async (query: string) =>
      itemsOf(await world.expectOk('GET', list + query, world.as(ownerId))).map(({ stats }) => stats);
    expect(await countsIn('?reload=false')).toEqual([{ memberCount: 4 }, { memberCount: 9 }]);
    expect(await countsIn('?reload=true')).toEqual([{ memberCount: 4 }, { memberCount: 4 }]);
    expect(await countsIn('')).toEqual([{ memberCount: 4 }, { memberCount: 4 }]);
    expect(await versions()).toEqual(before);
    expect((await world.get(`${list}?reload=yes`, world.as(ownerId))).status).toBe(400);
  });
});
