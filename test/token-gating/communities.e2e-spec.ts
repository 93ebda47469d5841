import { beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '../support/until.js';
import { codeOf, CommunitiesWorld, type Headers, idOf } from './communities-world.js';

let world: CommunitiesWorld;
let ownerId: string;
let owner: Headers;

beforeAll(async () => {
  world = await CommunitiesWorld.lease();
  ownerId = await world.newUser();
  owner = world.as(ownerId);
}, 120_000);

describe('a community', () => {
  it('community: is created, changed, transferred and deleted', async () => {
    const made = await world.call('POST', '/communities', owner, { name: 'Apes', network: 'mainnet' });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      id: expect.stringMatching(/^community_[0-9A-Za-z]{17}$/),
      communityId: made.body['id'],
      name: 'Apes',
      platform: 'ethereum',
      status: 'active',
      visibility: 'members',
      network: 'mainnet',
      stats: { memberCount: 0 },
      roles: [],
      tpcs: [],
      ownerId,
      inviteLink: expect.stringContaining('/communities/community_'),
    });
    const path = `/communities/${String(made.body['id'])}`;
    const change = { name: 'Punks', visibility: 'public', iconURL: 'https://a.example/i.png', network: null };
    expect(await world.call('PATCH', path, owner, change)).toMatchObject({
      status: 200,
      body: { name: 'Punks', visibility: 'public', iconURL: 'https://a.example/i.png' },
    });
    const { body } = await world.get(path, owner);
    expect(body).not.toHaveProperty('network');
    expect(body).not.toHaveProperty('inviteLink');

    const byPasskey = world.as(ownerId, { amr: ['pop', 'user'] });
    for (const [method, guarded, body] of [
      ['PUT', `${path}/owner`, { userId: ownerId }],
      ['DELETE', path, undefined],
    ] as const)
      expect(codeOf(await world.call(method, guarded, byPasskey, body))).toBe('wallet_login_required');
    expect((await world.get(path, byPasskey)).status).toBe(200);

    const nextId = await world.newUser();
    expect(codeOf(await world.call('PUT', `${path}/owner`, owner, { userId: nextId }))).toBe(
      'new_owner_conflict',
    );
    await world.expectOk('POST', `${path}/members`, world.as(nextId));
    await world.expectOk('PUT', `${path}/administrators/${nextId}`, owner);
    await world.expectOk('PUT', `${path}/owner`, owner, { userId: nextId });
    expect(codeOf(await world.call('DELETE', path, owner))).toBe('owner_required');
    await world.expectOk('DELETE', path, world.as(nextId));
    expect(codeOf(await world.get(path, owner))).toBe('community_not_found');
    expect(await world.eventsOf(path)).toMatchObject([
      { type: 'member.joined' },
      { type: 'community.deleted' },
    ]);
  });

  it.each([
    [{ name: '' }, 'name'],
    [{ name: 'a\u200bb' }, 'name'],
    [{ name: 'a', iconURL: 'http://a.example/' }, 'iconURL'],
    [{ name: 'a', visibility: 'secret' }, 'visibility'],
    [{ name: 'a', ownerId: 'me' }, 'ownerId'],
  ])('community: %j is refused at %s', async (body, path) => {
    const answer = await world.call('POST', '/communities', owner, body);
    expect(answer).toMatchObject({ status: 400, body: { error: { details: { issues: [{ path }] } } } });
  });

  it('community: counts towards the limit of 100 per owner, also under concurrent requests', async () => {
    const user = await world.newUser();
    await world.query(
      `INSERT INTO token_gating.communities (id, name, platform, visibility, owner_id, next_check_at)
       SELECT $1 || n, 'n', 'chat', 'hidden', $1, now() FROM generate_series(1, 97) AS n`,
      [user],
    );
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => world.call('POST', '/communities', world.as(user), { name: 'n' })),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, 201, 201, ...Array<number>(7).fill(409)]);
    expect(answers.map(codeOf)).toContain('community_limit_exceeded');
  });
});

describe('administrators', () => {
  it('administrators: are added by the owner, and may step down', async () => {
    const path = await world.newCommunity(ownerId, { visibility: 'public' });
    const [one, two, stranger] = [await world.newUser(), await world.newUser(), await world.newUser()];
    for (const userId of ['user_unknown', stranger]) {
      const refused = await world.call('PUT', `${path}/administrators/${userId}`, owner);
      expect([refused.status, codeOf(refused)]).toEqual([404, 'user_not_found']);
    }
    for (const userId of [one, two]) await world.expectOk('POST', `${path}/members`, world.as(userId));
    await world.expectOk('PUT', `${path}/administrators/${one}`, owner);
    await world.expectOk('PUT', `${path}/administrators/${one}`, owner);
    await world.expectOk('PUT', `${path}/administrators/${two}`, owner);
    const { body } = await world.get(`${path}/administrators`, world.as(one));
    expect(body).toMatchObject({
      items: [
        { userId: ownerId, isOwner: true },
        { userId: one, isOwner: false },
        { userId: two, isOwner: false },
      ],
    });
    expect(codeOf(await world.call('DELETE', `${path}/administrators/${one}`, world.as(two)))).toBe(
      'owner_required',
    );
    expect(codeOf(await world.call('DELETE', `${path}/administrators/${ownerId}`, owner))).toBe(
      'owner_removal_conflict',
    );
    await world.expectOk('DELETE', `${path}/administrators/${one}`, world.as(one));
    await world.expectOk('DELETE', `${path}/administrators/${two}`, owner);
    expect((await world.get(`${path}/administrators`, world.as(two))).status).toBe(404);
  });
});

describe('roles and rules', () => {
  const native = { type: 'NATIVE', chainId: 1 };

  it('roles and rules: are created, changed, used and deleted', async () => {
    const path = await world.newCommunity(ownerId);
    const whale = await world.call('POST', `${path}/roles`, owner, { id: 'whale', name: 'W', color: 255 });
    expect(whale).toEqual({ status: 201, body: { id: 'whale', name: 'W', color: 255 } });
    expect(codeOf(await world.call('POST', `${path}/roles`, owner, { id: 'whale', name: 'X' }))).toBe(
      'role_conflict',
    );
    const made = await world.expectOk('POST', `${path}/roles`, owner, { name: 'Friend' });
    expect(made['id']).toMatch(/^role_/);
    expect(await world.expectOk('PATCH', `${path}/roles/whale`, owner, { color: null })).toEqual({
      id: 'whale',
      name: 'W',
    });

    const rules = [{ roleId: 'whale', anyOf: [native, { not: { ...native, minToken: '2' } }] }];
    const state = async () => {
      const sql = `SELECT rules_revision AS revision, next_check_at > now() AS later FROM token_gating.communities
        WHERE id = $1`;
      return (await world.query(sql, [idOf(path)]))[0];
    };
    await world.query("UPDATE token_gating.communities SET next_check_at = now() + interval '1 day'");
    expect(await world.expectOk('PUT', `${path}/rules`, owner, { rules })).toEqual({ rules });
    expect(await state()).toEqual({ revision: 2, later: false });
    await world.query("UPDATE token_gating.communities SET next_check_at = now() + interval '1 day'");
    await world.expectOk('PUT', `${path}/rules`, owner, { rules });
    expect(await state()).toEqual({ revision: 2, later: true });
    expect((await world.get(path, owner)).body).toMatchObject({ tpcs: rules });

    const inUse = await world.call('DELETE', `${path}/roles/whale`, owner);
    expect([inUse.status, codeOf(inUse)]).toEqual([409, 'role_rule_conflict']);
    await world.expectOk('PUT', `${path}/rules`, owner, { rules: [] });
    await world.expectOk('DELETE', `${path}/roles/whale`, owner);
    expect(codeOf(await world.call('DELETE', `${path}/roles/whale`, owner))).toBe('role_not_found');
  });

  it('T371: replaceRules: replaces no other rules than those that its caller has read', async () => {
    const [first, second] = ['1', '2'].map((minToken) => [{ roleId: 'reader', ...native, minToken }]);
    const path = await world.newCommunity(ownerId);
    await world.call('POST', `${path}/roles`, owner, { id: 'reader', name: 'Reader' });
    const put = (rules: unknown, replaces?: unknown) =>
      world.call('PUT', `${path}/rules`, owner, { rules, ...(replaces === undefined ? {} : { replaces }) });
    expect((await put(first, [])).status).toBe(200);
    // A repetition finds what it wrote.
    expect((await put(first, [])).status).toBe(200);
    expect(await put(second, [])).toMatchObject({
      status: 409,
      body: { error: { details: { code: 'rules_conflict' } } },
    });
    expect((await world.get(`${path}/rules`, owner)).body).toEqual({ rules: first });
    const answers = await Promise.all([put(second, first), put([], first)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await put([])).status).toBe(200);
  });

  it('T54: roles and rules: need a client application that is approved for what check-roles needs', async () => {
    const unapproved = await world.newClient();
    const viaUnapproved = world.as(ownerId, { client: unapproved });
    const path = await world.newCommunity(ownerId);
    await world.expectOk('POST', `${path}/roles`, owner, { id: 'r', name: 'R' });
    const put = (rules: object[]) => world.call('PUT', `${path}/rules`, viaUnapproved, { rules });
    const rules = [{ roleId: 'r', ...native }];
    await world.expectOk('PUT', `${path}/client-applications/${unapproved.clientId}`, viaUnapproved);
    const refused = await put(rules);
    expect([refused.status, codeOf(refused)]).toEqual([403, 'approval_required']);
    expect((await put([])).status).toBe(200);
    await world.expectOk('PUT', `${path}/client-applications/${world.client.clientId}`, owner);
    expect((await put(rules)).status).toBe(200);
  });

  it.each([
    [[{ roleId: 'nobody', ...native }], 'role_invalid', 'rules.0.roleId'],
    [[{ roleId: 'r', not: { ...native, chainId: 999_999 } }], 'chain_not_supported', 'rules.0.not.chainId'],
    [
      [{ roleId: 'r', allOf: [{ type: 'ERC20', chainId: 1 }] }],
      'input_invalid',
      'rules.0.allOf.0.contractAddress',
    ],
    [
      [
        {
          roleId: 'r',
          anyOf: [
            native,
            {
              type: 'ERC721',
              chainId: 1,
              contractAddress: `0x${'ab'.repeat(20)}`,
              tokenId: 'https://10.0.0.1/list',
            },
          ],
        },
      ],
      'url_invalid',
      'rules.0.anyOf.1.tokenId',
    ],
    [
      [
        {
          roleId: 'r',
          type: 'ERC1155',
          chainId: 1,
          contractAddress: `0x${'ab'.repeat(20)}`,
          tokenId: '0-800',
        },
      ],
      'rule_read_limit_exceeded',
      'rules',
    ],
    [[{ roleId: 'r', not: { ...native, tokenId: '1' } }], 'input_invalid', 'rules.0.not.tokenId'],
    [
      [{ roleId: 'r', not: { type: 'OPEN_SEA', collectionName: 'demo' } }],
      'rule_not_supported',
      'rules.0.not.type',
    ],
    [
      [
        {
          roleId: 'r',
          ...{ type: 'staking', chainId: 1, collectionName: 'unheard-of' },
          contractAddress: `0x${'ab'.repeat(20)}`,
        },
      ],
      'rule_not_supported',
      'rules.0.collectionName',
    ],
  ])('refuses rules that cannot be checked: %#', async (rules, code, path) => {
    const community = await world.newCommunity(ownerId);
    await world.expectOk('POST', `${community}/roles`, owner, { id: 'r', name: 'R' });
    const answer = await world.call('PUT', `${community}/rules`, owner, { rules });
    expect(answer).toMatchObject({
      status: 400,
      body: { error: { details: { code, issues: [{ path }] } } },
    });
  });
});

describe('client applications', () => {
  it('client applications: are attached with an allowed callback URL, and detached', async () => {
    const path = await world.newCommunity(ownerId);
    const client = await world.newClient();
    const { clientId } = client;
    const one = `${path}/client-applications/${clientId}`;
    const notThroughIt = await world.call('PUT', one, world.as(ownerId));
    expect(notThroughIt).toMatchObject({
      status: 404,
      body: {
        error: {
          message: expect.stringContaining('with a token that was issued to itself'),
          details: { code: 'client_not_found' },
        },
      },
    });
    const owner = world.as(ownerId, { client });
    expect(codeOf(await world.call('PUT', `${path}/client-applications/client_x`, owner))).toBe(
      'client_not_found',
    );
    const refused = await world.call('PUT', one, owner, { callbackUrl: 'http://169.254.169.254/' });
    expect(refused).toMatchObject({
      status: 400,
      body: { error: { details: { issues: [{ path: 'callbackUrl' }] } } },
    });
    await world.expectOk('PUT', one, owner);
    await world.expectOk('PUT', one, owner, { callbackUrl: 'https://a.example/hook' });
    expect((await world.get(`${path}/client-applications`, owner)).body).toMatchObject({
      items: [{ clientId, callbackUrl: 'https://a.example/hook', callbackUrlVerified: false }],
    });
    await world.expectOk('DELETE', one, owner);
    expect(codeOf(await world.call('DELETE', one, owner))).toBe('client_not_found');
  });

  it('client applications: get no more callbacks once they are detached or have another callback URL', async () => {
    const path = await world.newCommunity(ownerId, { visibility: 'public' });
    const client = await world.newClient(['community:read', 'community:write', 'token-gating']);
    const { clientId } = client;
    const owner = world.as(ownerId, { client });
    const one = `${path}/client-applications/${clientId}`;
    // No server listens there, so the callback is retried.
    const waiting = async (callbackUrl: string) => {
      await world.expectOk('PUT', one, owner, { callbackUrl });
      // The row is as if the receiver had answered.
      await world.query('UPDATE token_gating.community_clients SET challenge = NULL WHERE client_id = $1', [
        clientId,
      ]);
      const userId = await world.newUser();
      await world.expectOk('POST', `${path}/members`, world.as(userId));
      const values = [idOf(path), userId, 'r'];
      await world.query('INSERT INTO token_gating.role_assignments VALUES ($1, $2, $3)', values);
      await world.expectOk('DELETE', `${path}/members/${userId}`, owner);
    };
    const pending = async () => {
      const sql = `SELECT url FROM token_gating.deliveries
        WHERE client_id = $1 AND state = 'pending' AND NOT payload ? 'challenge'`;
      return (await world.query(sql, [clientId])).map((row) => (row as { url: string }).url);
    };
    await world.expectOk('POST', `${path}/roles`, owner, { id: 'r', name: 'R' });
    await waiting('http://127.0.0.1:9001/one');
    expect(await pending()).toEqual(['http://127.0.0.1:9001/one']);
    await waiting('http://127.0.0.1:9001/two');
    const onlyTwo = async () => (await pending()).join() === 'http://127.0.0.1:9001/two';
    await until('the first is given up', onlyTwo);
    await world.expectOk('PUT', one, owner, { callbackUrl: 'http://127.0.0.1:9001/two' });
    expect(await onlyTwo()).toBe(true);
    await world.expectOk('DELETE', one, owner);
    await until('all are given up', async () => (await pending()).length === 0);
    const [callback] = await world.query(
      'SELECT request_id AS id FROM token_gating.deliveries WHERE client_id = $1',
      [clientId],
    );
    const again = `/access-control/check-roles/responses/${(callback as { id: string }).id}/redeliveries`;
    expect(codeOf(await world.call('POST', again, { 'X-API-Key': client.apiKey }))).toBe('callback_required');
  });

  it('client applications: are limited to 20', async () => {
    const path = await world.newCommunity(ownerId);
    await world.query(
      `INSERT INTO token_gating.community_clients (community_id, client_id)
       SELECT $1, 'client_' || n FROM generate_series(1, 20) AS n`,
      [idOf(path)],
    );
    const answer = await world.call('PUT', `${path}/client-applications/${world.client.clientId}`, owner);
    expect([answer.status, codeOf(answer)]).toEqual([409, 'client_limit_exceeded']);
  });
});

describe('the list of public communities', () => {
  it('list of public communities: contains only public communities, page by page', async () => {
    const publicOnes = [];
    for (let made = 0; made < 5; made += 1)
      publicOnes.push(await world.newCommunity(ownerId, { visibility: 'public' }));
    const hidden = await world.newCommunity(ownerId, { visibility: 'hidden' });
    const seen: string[] = [];
    let token: string | undefined;
    do {
      const query = token === undefined ? '' : `&paginationToken=${token}`;
      const page = await world.expectOk('GET', `/communities?limit=2${query}`, owner);
      seen.push(...(page['items'] as { id: string }[]).map(({ id }) => `/communities/${id}`));
      token = page['paginationToken'] as string | undefined;
    } while (token !== undefined);
    expect(seen).toEqual(expect.arrayContaining(publicOnes));
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).not.toContain(hidden);
  });
});
