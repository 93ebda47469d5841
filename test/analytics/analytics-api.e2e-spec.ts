import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from '../support/create-client.js';
import { checkDeclared } from '../support/declared-answers.js';
import { until } from '../support/until.js';
import {
  codeOf,
  CommunitiesWorld,
  type Headers,
  idOf,
  type Json,
} from '../token-gating/communities-world.js';

const SCOPES = ['community:analytics', 'community:read', 'community:write'];
const REPORTS = [
  ['POST', 'role-distribution'],
  ['POST', 'roles-added'],
  ['GET', 'user-interactions'],
  ['GET', 'wallet-connections'],
] as const;

describe('the analytics operations at the gateway', () => {
  let world: CommunitiesWorld;
  let attached: Client;
  let owner: string;
  let member: string;
  let path: string;

  beforeAll(async () => {
    world = await CommunitiesWorld.leaseWithAnalytics();
    attached = await world.newClient(SCOPES);
    owner = await world.newUser();
    member = await world.newUser();
    path = await newCommunity('public');
    await world.expectOk('POST', `${path}/roles`, as(owner), {
      id: 'whale',
      name: '=Whale, "big"',
      color: 255,
    });
    for (const user of [owner, member])
      await world.query(
        `INSERT INTO analytics.community_events (id, type, at, community_id, user_id, role_id)
         VALUES (gen_random_uuid(), 'role.granted', now(), $1, $2, 'whale')`,
        [idOf(path), user],
      );
    for (const user of [owner, member]) await world.expectOk('POST', `${path}/members`, as(user), {});
    await world.expectOk('PATCH', path, as(owner), { visibility: 'members' });
    await until('the events are counted', async () => {
      const { rows } = await report('GET', 'user-interactions?range=24h&interval=day', as(owner));
      const { total } =
        (await report('POST', 'roles-added?range=P1D&interval=month', as(owner))).rows.at(-1) ?? {};
      return rows.at(-1)?.['interactions'] === 2 && total === 2;
    });
  }, 120_000);

  const as = (userId: string): Headers => world.as(userId, { scopes: SCOPES });
  const keyOf = ({ apiKey }: Client): Headers => ({ 'x-api-key': apiKey });

  async function newCommunity(visibility: string): Promise<string> {
    const community = await world.newCommunity(owner, { visibility });
    await world.expectOk(
      'PUT',
      `${community}/client-applications/${attached.clientId}`,
      attachingOwner(),
      {},
    );
    return community;
  }

  /** An administrator attaches a client application with a token that was issued to it. */
  const attachingOwner = (): Headers => world.as(owner, { scopes: SCOPES, client: attached });

  it('analytics operations at the gateway: say until when they have data, which follows the heartbeats of both producers', async () => {
    const untilOf = async () => {
      const { headers } = await send('GET', 'wallet-connections?range=24h', as(owner));
      return headers.get('x-data-until');
    };
    await until('both have sent a heartbeat', async () => (await untilOf()) !== null);
    const producers = await world.query('SELECT producer FROM analytics.producer_heartbeats ORDER BY 1');
    expect(producers).toEqual([{ producer: 'identity' }, { producer: 'token-gating' }]);
    const age = Date.now() - Date.parse((await untilOf()) ?? '');
    // Fifteen seconds for transactions that last, and a minute between heartbeats.
    expect(age).toBeGreaterThanOrEqual(15_000);
    expect(age).toBeLessThan(120_000);
    await until('the earlier one counts', async () => {
      // The heartbeat is set back each time, because a heartbeat may come before the header is asked for.
      await world.query(
        `UPDATE analytics.producer_heartbeats SET until_at = now() - interval '2 hours' WHERE producer = 'identity'`,
      );
      return Date.now() - Date.parse((await untilOf()) ?? '') > 3_600_000;
    });
  });

  it('T171: analytics operations at the gateway: are repaired where they differ from what token-gating says, at the time that it names', async () => {
    const other = await newCommunity('public');
    const id = idOf(other);
    const [lost, gone] = [await world.newUser(), await world.newUser()];
    await world.expectOk('POST', `${other}/members`, as(gone), {});
    const rowsOf = async (name: string) =>
      (await report('GET', `${name}?range=24h&interval=day`, as(owner), { community: other })).rows;
    await until(
      'the join is counted',
      async () => (await rowsOf('user-interactions')).at(-1)?.['users'] === 1,
    );
    // A member whose events were lost, and a member whose end was lost.
    await world.query(
      `INSERT INTO token_gating.community_members (community_id, user_id, platform, platform_user_id, joined_at)
       VALUES ($1, $2, 'ethereum', 'lost', now() - interval '1 hour')`,
      [id, lost],
    );
    await world.query(
      `INSERT INTO identity.wallet_connections
         (id, user_id, wallet_key, address, account_id, platform, wallet_type, chain_id, created_at)
       VALUES ($1, $1, '0xab', '0xab', 'eip155:1:0xab', 'ethereum', 'eoa', '1', now() - interval '1 hour')`,
      [lost],
    );
    await world.query('DELETE FROM token_gating.community_members WHERE community_id = $1 AND user_id = $2', [
      id,
      gone,
    ]);
    await world.query(
      `UPDATE analytics.state_intervals SET from_at = from_at - interval '5 minutes' WHERE community_id = $1`,
      [id],
    );
    await world.query('UPDATE analytics.communities SET reconcile_at = now() WHERE community_id = $1', [id]);
    const repairs = async () =>
      (await world.query(
        `SELECT type, user_id, account_id FROM analytics.events WHERE community_id = $1 AND type LIKE 'repair.%' ORDER BY type`,
        [id],
      )) as { type: string; user_id: string; account_id: string | null }[];
    // Nothing before the events until the time of the comparison are in.
    await world.query(`UPDATE analytics.producer_heartbeats SET until_at = now() + interval '2 minutes'`);
    await until('they are repaired', async () => (await repairs()).length >= 3);
    expect(await repairs()).toEqual([
      { type: 'repair.joined', user_id: lost, account_id: null },
      { type: 'repair.left', user_id: gone, account_id: null },
      { type: 'repair.linked', user_id: lost, account_id: 'eip155:1:0xab' },
    ]);
    // A repair is nothing that a user did.
    expect((await rowsOf('wallet-connections')).at(-1)).toMatchObject({ connected: 0, total: 1 });
    expect((await rowsOf('user-interactions')).at(-1)).toMatchObject({ users: 1, interactions: 1 });
    const { rows } = await report('POST', 'role-distribution?range=24h', as(owner), { community: other });
    expect(rows).toMatchObject([{ id: 'none', count: 1 }]);
    // The next comparison finds only what is lost since.
    await world.query(
      `UPDATE analytics.state_intervals SET from_at = from_at - interval '5 minutes' WHERE community_id = $1`,
      [id],
    );
    const another = await world.newUser();
    await world.query(
      `INSERT INTO token_gating.community_members (community_id, user_id, platform, platform_user_id, joined_at)
       VALUES ($1, $2, 'ethereum', 'another', now() - interval '1 hour')`,
      [id, another],
    );
    await world.query('UPDATE analytics.communities SET reconcile_at = now() WHERE community_id = $1', [id]);
    await until('it is repaired again', async () => (await repairs()).length > 3);
    expect((await repairs()).filter(({ user_id }) => user_id === another)).toHaveLength(1);
    expect(await repairs()).toHaveLength(4);
  });

  it('T172: analytics operations at the gateway: leave a pseudonym of a user whom an operator erases, who left all communities', async () => {
    const other = await newCommunity('public');
    const id = idOf(other);
    const erased = await world.newUser();
    await world.expectOk('POST', `${other}/members`, as(erased), {});
    const rowsOf = async () =>
      (
        await report('GET', 'user-interactions?range=24h&interval=day', as(owner), { community: other })
      ).rows.at(-1);
    await until('the join is counted', async () => (await rowsOf())?.['users'] === 1);
    const event = { id: randomUUID(), type: 'user.erased', at: new Date().toISOString(), userId: erased };
    await world.query(`INSERT INTO identity.outbox (queue, payload) VALUES ('user-events', $1)`, [
      { version: 1, batchId: randomUUID(), events: [event] },
    ]);
    await until('the user has left', async () => {
      const rows = await world.query('SELECT FROM token_gating.community_members WHERE user_id = $1', [
        erased,
      ]);
      return rows.length === 0;
    });
    await until('the leave is counted', async () => {
      const kinds = (await rowsOf())?.['kinds'] as Record<string, number>;
      return kinds['left'] === 1;
    });
    const named = () => world.query('SELECT FROM analytics.events WHERE user_id = $1', [erased]);
    await until('the user is replaced', async () => {
      // Heartbeats of a minute later; those of a producer may begin meanwhile.
      await world.query(`UPDATE analytics.producer_heartbeats SET until_at = now() + interval '10 minutes'`);
      return (await named()).length === 0;
    });
    expect(await rowsOf()).toMatchObject({ users: 1, interactions: 2, kinds: { joined: 1, left: 1 } });
    const users = await world.query(
      'SELECT DISTINCT user_id AS id FROM analytics.events WHERE community_id = $1',
      [id],
    );
    expect(users.map((user) => /^erased_[0-9A-Za-z]{22}$/.test((user as { id: string }).id))).toEqual([true]);
    await until('the id is forgotten', async () => {
      await world.query('UPDATE analytics.erasures SET due_at = now() WHERE is_erased');
      return (await world.query('SELECT FROM analytics.erasures')).length === 0;
    });
    // A user who joins again is not counted.
    await world.expectOk('POST', `${other}/members`, as(erased), {});
    await world.expectOk('POST', `${other}/members`, as(member), {});
    await until('another join is counted', async () => (await rowsOf())?.['users'] === 2);
    expect(await named()).toEqual([]);
  });

  const send = async (
    method: string,
    name: string,
    headers: Headers,
    { community = path, body }: { community?: string; body?: unknown } = {},
  ) => {
    const target = `/analytics/${idOf(community)}/${name}`;
    const response = await fetch(world.gatewayUrl + target, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    checkDeclared(method, target, response.status, text);
    return { status: response.status, headers: response.headers, text };
  };

  const report = async (...request: Parameters<typeof send>): Promise<{ rows: Json[] }> => {
    const { status, text } = await send(...request);
    expect([status, text]).toEqual([200, text]);
    return { rows: JSON.parse(text) as Json[] };
  };

  it('analytics operations at the gateway: answer every scheme that may name a caller with the scope', async () => {
    const { mint } = world;
    const claims = { scope: '$public community:analytics' };
    const clientCredentials = mint.accessClaims(attached.clientId, {
      ...claims,
      sub: `client:${attached.clientId}`,
    });
    const signedIn = mint.aeClaims(world.client.clientId, { ...claims, sub: owner });
    const schemes: Headers[] = [
      keyOf(attached),
      as(owner),
      { authorization: `AE ${mint.aeToken(signedIn)}` },
      { authorization: `Bearer ${mint.bearer(clientCredentials)}` },
    ];
    for (const headers of schemes)
      for (const [method, name] of REPORTS)
        expect((await report(method, `${name}?range=24h`, headers)).rows).not.toEqual([]);
    const credential = await mint.credential({ clientId: attached.clientId });
    for (const [method, name] of REPORTS) {
      expect((await send(method, name, {})).status).toBe(401);
      expect((await send(method, name, { authorization: `Ethereum ${credential}` })).status).toBe(403);
    }
  });

  it('analytics operations at the gateway: count members by role, as the filter names them', async () => {
    const whale = { id: 'whale', count: 2, share: 1 };
    const none = { id: 'none', name: 'No role', color: 0x9ca3af, count: 0, share: 0 };
    const all = await report('POST', 'role-distribution?range=24h', keyOf(attached));
    expect(all.rows).toEqual([{ ...whale, name: '=Whale, "big"', color: 255 }, none]);
    const body = [
      { id: 'ghost', name: 'Ghost', color: 1 },
      { id: 'whale', name: 'Mine', color: 2 },
    ];
    const chosen = await report('POST', 'role-distribution', keyOf(attached), { body });
    expect(chosen.rows).toEqual([
      { id: 'ghost', name: 'Ghost', color: 1, count: 0, share: 0 },
      { ...whale, name: 'Mine', color: 2 },
      none,
    ]);
    const added = await report(
      'POST',
      'roles-added?range=P1D&interval=month&timeZone=Asia/Kathmandu',
      as(owner),
      {
        body: body.slice(0, 1),
      },
    );
    expect(added.rows.at(-1)).toMatchObject({ total: 0, roles: [{ id: 'ghost', added: 0, removed: 0 }] });
  });

  it('analytics operations at the gateway: send the same rows as CSV, without formulas', async () => {
    const csv = await send('POST', 'role-distribution', { ...keyOf(attached), accept: 'text/csv' });
    expect([csv.headers.get('content-type'), csv.headers.get('vary')]).toEqual([
      'text/csv; charset=utf-8',
      expect.stringContaining('Accept'),
    ]);
    expect(csv.text).toBe(
      `id,name,color,count,share\r\nwhale,"'=Whale, ""big""",255,2,1\r\nnone,No role,10265519,0,0\r\n`,
    );
    const json = await send('POST', 'role-distribution', {
      ...keyOf(attached),
      accept: 'text/csv;q=0.1, */*',
    });
    expect(json.headers.get('content-type')).toBe('application/json; charset=utf-8');
    for (const [method, name] of REPORTS) {
      const { text } = await send(method, `${name}?range=7d`, {
        ...as(owner),
        accept: 'text/csv;charset=UTF-8',
      });
      const widths = text
        .trimEnd()
        .split('\r\n')
        .map((line) => line.replaceAll(/"[^"]*"/g, '').split(',').length);
      expect(new Set(widths).size).toBe(1);
    }
  });

  it('analytics operations at the gateway: answer 304 to a GET with the ETag of what has not changed', async () => {
    for (const name of ['user-interactions', 'wallet-connections']) {
      const target = `${name}?range=2026-01-01/2026-02-01`;
      const first = await send('GET', target, as(owner));
      const etag = first.headers.get('etag') ?? '';
      expect(etag).toMatch(/^"[\w-]{22}"$/);
      const again = await send('GET', target, { ...as(owner), 'if-none-match': etag });
      expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag]);
      const csv = { ...as(owner), accept: 'text/csv', 'if-none-match': etag };
      expect((await send('GET', target, csv)).status).toBe(200);
      const other = `${name}?range=2026-01-01/2026-02-02`;
      expect((await send('GET', other, { ...as(owner), 'if-none-match': etag })).status).toBe(200);
    }
    const post = await send('POST', 'roles-added', as(owner));
    expect(post.headers.get('etag')).toBeNull();
  });

  it('analytics operations at the gateway: name the parameter of a bad request', async () => {
    const long = 'x'.repeat(1_000);
    const cases: [string, string][] = [
      ['range=-1d', 'range'],
      ['range=9999y', 'range'],
      ['range=2026-02-01/2026-01-01', 'range'],
      ['range=7d&range=24h', 'range'],
      [`range=${long}`, 'range'],
      // Nearly as long as the headers of a request can be.
      [`range=${'x'.repeat(12_000)}`, 'range'],
      ['timeZone=Mars/Olympus', 'timeZone'],
      [`timeZone=${long}`, 'timeZone'],
      ['range=2026-01-01/2026-07-29T09:00Z&interval=hour', 'interval'],
      ['interval=year', 'interval'],
    ];
    for (const [method, name] of REPORTS)
      for (const [query, parameter] of cases) {
        const { status, text } = await send(method, `${name}?${query}`, as(owner));
        const { error } = JSON.parse(text) as { error: { details: { issues: { path: string }[] } } };
        expect([query, status, error.details.issues.map(({ path: field }) => field)]).toEqual([
          query,
          400,
          [parameter],
        ]);
      }
    for (const body of [
      [{ id: 'a', name: 'x'.repeat(65_536), color: 1 }],
      [{ id: 'a', name: 'A', color: 1, more: 1 }],
      [
        { id: 'a', name: 'A', color: 1 },
        { id: 'a', name: 'B', color: 2 },
      ],
      { id: 'a' },
    ])
      expect((await send('POST', 'roles-added', as(owner), { body })).status).toBe(400);
    expect((await send('GET', `user-interactions?range=${'x'.repeat(65_536)}`, as(owner))).status).toBe(431);
  });

  it.each([
    ['public', 403],
    ['members', 404],
    ['hidden', 404],
  ])(
    'analytics operations at the gateway: those of a %s community are %i for those who do not run it',
    async (visibility, status) => {
      const community = await newCommunity(visibility);
      const stranger = await world.newUser();
      const other = await world.newClient(SCOPES);
      for (const [method, name] of REPORTS)
        for (const headers of [as(stranger), keyOf(other)])
          expect([name, (await send(method, name, headers, { community })).status]).toEqual([name, status]);
    },
  );

  it('analytics operations at the gateway: are 403 for a member, and 404 where there is no such community', async () => {
    for (const [method, name] of REPORTS) {
      const refused = await send(method, name, as(member));
      expect([refused.status, codeOf({ status: 403, body: JSON.parse(refused.text) as Json })]).toEqual([
        403,
        'administrator_required',
      ]);
      expect((await send(method, name, as(owner), { community: '/communities/none' })).status).toBe(404);
      const ofAttached = world.as(member, { scopes: SCOPES, client: attached });
      expect((await send(method, name, ofAttached)).status).toBe(403);
      const noScope = await world.newClient(['community:read']);
      expect((await send(method, name, keyOf(noScope))).status).toBe(403);
    }
  });

  it('analytics operations at the gateway: end for a client application that is detached, and for an administrator who is removed', async () => {
    const community = await newCommunity('hidden');
    const administrator = await world.newUser();
    await world.expectOk('PATCH', community, as(owner), { visibility: 'public' });
    await world.expectOk('POST', `${community}/members`, as(administrator), {});
    await world.expectOk('PUT', `${community}/administrators/${administrator}`, as(owner));
    const statusOf = async (headers: Headers) =>
      (await send('GET', 'wallet-connections', headers, { community })).status;
    for (const headers of [keyOf(attached), as(administrator)]) expect(await statusOf(headers)).toBe(200);
    await world.expectOk('DELETE', `${community}/client-applications/${attached.clientId}`, as(owner));
    await world.expectOk('DELETE', `${community}/administrators/${administrator}`, as(owner));
    for (const headers of [keyOf(attached), as(administrator)])
      await until('refused', async () => (await statusOf(headers)) === 403, 10_000);
  });

  it('analytics operations at the gateway: are gone with the community, and its numbers too', async () => {
    const community = await newCommunity('public');
    await world.expectOk('POST', `${community}/members`, as(owner), {});
    const count = async (): Promise<number> => {
      const sql = 'SELECT count(*)::int AS count FROM analytics.event_counts WHERE community_id = $1';
      const [row] = (await world.query(sql, [idOf(community)])) as [{ count: number }];
      return row.count;
    };
    await until('counted', async () => (await count()) > 0);
    await world.expectOk('DELETE', community, as(owner));
    await until('purged', async () => (await count()) === 0);
    await until(
      'gone',
      async () => (await send('GET', 'user-interactions', as(owner), { community })).status === 404,
    );
  });
});
