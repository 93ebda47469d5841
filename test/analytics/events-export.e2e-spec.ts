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
const WALLET = 'eip155:1:0x70997970c51812dc3a010c7d01b50e0d17dc79c8';

interface Page {
  items: { id: string; type: string; accountId?: string; at: string; receivedAt: string }[];
  cursor?: string;
}

describe('the events export at the gateway', () => {
  let world: CommunitiesWorld;
  let attached: Client;
  let owner: string;
  let path: string;

  beforeAll(async () => {
    world = await CommunitiesWorld.leaseWithAnalytics();
    attached = await world.newClient(SCOPES);
    owner = await world.newUser();
    path = await newCommunity();
  }, 120_000);

  const as = (userId: string): Headers => world.as(userId, { scopes: SCOPES });
  const keyOf = ({ apiKey }: Client): Headers => ({ 'x-api-key': apiKey });

  async function newCommunity(...clients: Client[]): Promise<string> {
    const community = await world.newCommunity(owner, { visibility: 'public' });
    for (const client of [attached, ...clients])
      await world.expectOk(
        'PUT',
        `${community}/client-applications/${client.clientId}`,
        world.as(owner, { scopes: SCOPES, client }),
        {},
      );
    return community;
  }

  const send = async (query: string, headers: Headers, community = path) => {
    const target = `/analytics/${idOf(community)}/events?${query}`;
    const response = await fetch(world.gatewayUrl + target, { headers });
    const text = await response.text();
    checkDeclared('GET', target, response.status, text);
    return { status: response.status, body: JSON.parse(text) as Json };
  };

  const load = async (...request: Parameters<typeof send>): Promise<Page> => {
    const { status, body } = await send(...request);
    expect([status, body]).toEqual([200, body]);
    return body as unknown as Page;
  };

  /** Stores events that were received some seconds ago, in the order of their ids where these are equal. */
  const store = async (community: string, secondsAgo: readonly number[], type = 'wallet.linked') => {
    const events = secondsAgo.map((seconds) => ({ id: randomUUID(), seconds }));
    await world.query(
      `INSERT INTO analytics.events (id, type, at, community_id, user_id, account_id, received_at)
       SELECT e.id, $1, date_trunc('day', now()), $2, 'user_1', $3, now() - e.seconds * interval '1 second'
       FROM jsonb_to_recordset($4::jsonb) AS e (id uuid, seconds integer)`,
      [type, idOf(community), WALLET, JSON.stringify(events)],
    );
    return events;
  };

  it('events export at the gateway: lists each event once, in the order in which they arrived, over pages of any size', async () => {
    const community = await newCommunity();
    const times = [300, 200, 200, 200, 200, 250, 120, 200, 290, 280, 200];
    const events = await store(community, times);
    const order = events.sort((a, b) => b.seconds - a.seconds || (a.id < b.id ? -1 : 1)).map(({ id }) => id);
    for (const limit of [1, 2, 3, 10, 11, 1_000]) {
      const ids: string[] = [];
      let page = await load(`limit=${limit}`, as(owner), community);
      while (page.items.length > 0) {
        ids.push(...page.items.map(({ id }) => id));
        page = await load(`limit=${limit}&cursor=${page.cursor}`, as(owner), community);
      }
      expect([limit, ids]).toEqual([limit, order]);
      expect(page.cursor).toBeDefined();
    }
  });

  it('events export at the gateway: goes on at the cursor of the last page, and shows no event of the last minute', async () => {
    const community = await newCommunity();
    expect(await load('', as(owner), community)).toEqual({ items: [] });
    const [first] = await store(community, [600]);
    await store(community, [5]);
    const last = await load('', as(owner), community);
    expect(last.items.map(({ id }) => id)).toEqual([first?.id]);
    const empty = await load(`cursor=${last.cursor}`, as(owner), community);
    expect(empty).toEqual({ items: [], cursor: last.cursor });
    const [later] = await store(community, [120], 'member.left');
    const next = await load(`cursor=${empty.cursor}`, as(owner), community);
    expect(next.items.map(({ id, type }) => [id, type])).toEqual([[later?.id, 'member.left']]);
  });

  it('events export at the gateway: shows wallets only to attached client applications that are approved to read them', async () => {
    const approved = await world.newClient([...SCOPES, 'user:wallet:read']);
    const community = await newCommunity(approved);
    await store(community, [120]);
    const accountOf = async (headers: Headers) => {
      const [item] = (await load('', headers, community)).items;
      expect(item).toMatchObject({ type: 'wallet.linked', userId: 'user_1' });
      return item?.accountId;
    };
    expect(await accountOf(keyOf(approved))).toBe(WALLET);
    expect(await accountOf(keyOf(attached))).toBeUndefined();
    const scopes = [...SCOPES, 'user:wallet:read'];
    for (const headers of [as(owner), world.as(owner, { scopes, client: approved })])
      expect(await accountOf(headers)).toBeUndefined();
  });

  it('events export at the gateway: names the parameter of a bad request', async () => {
    await store(path, [120, 121]);
    const other = await newCommunity();
    const { cursor = '' } = await load('limit=1', as(owner));
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const cases: [string, string, string?][] = [
      ['limit=0', 'limit'],
      ['limit=1001', 'limit'],
      ['limit=-1', 'limit'],
      ['cursor=', 'cursor'],
      ['cursor=x', 'cursor'],
      [`cursor=${cursor.slice(0, -4)}`, 'cursor'],
      [`cursor=${cursor}&cursor=${cursor}`, 'cursor'],
      [`cursor=${encode([idOf(path), '2026-13-41T00:00:00.000000Z', randomUUID()])}`, 'cursor'],
      [`cursor=${encode([idOf(path), 'infinity', randomUUID()])}`, 'cursor'],
      [`cursor=${encode([idOf(path), '2026-01-01T00:00:00.000000Z', 'id'])}`, 'cursor'],
      [`cursor=${'x'.repeat(1_000)}`, 'cursor'],
      [`cursor=${cursor}`, 'cursor', other],
    ];
    for (const [query, parameter, community = path] of cases) {
      const { status, body } = await send(query, as(owner), community);
      const { error } = body as { error: { details: { issues?: { path: string }[] } } };
      expect([query, status, error.details.issues?.map(({ path: field }) => field)]).toEqual([
        query,
        400,
        [parameter],
      ]);
    }
  });

  it('events export at the gateway: is for administrators and attached client applications with the scope', async () => {
    const member = await world.newUser();
    await world.expectOk('POST', `${path}/members`, as(member), {});
    expect((await send('', keyOf(attached))).status).toBe(200);
    expect((await send('', {})).status).toBe(401);
    const refused = await send('', as(member));
    expect([refused.status, codeOf(refused)]).toEqual([403, 'administrator_required']);
    const detached = await send('', keyOf(await world.newClient(SCOPES)));
    expect([detached.status, codeOf(detached)]).toEqual([403, 'attached_client_required']);
    expect((await send('', keyOf(await world.newClient(['community:read'])))).status).toBe(403);
    expect((await send('', as(owner), '/communities/none')).status).toBe(404);
    await world.expectOk('PATCH', path, as(owner), { visibility: 'members' });
    expect((await send('', as(await world.newUser()))).status).toBe(404);
  });

  it('events export at the gateway: is gone with the community', async () => {
    const community = await newCommunity();
    await store(community, [120]);
    await world.expectOk('DELETE', community, as(owner));
    await until('gone', async () => (await send('', as(owner), community)).status === 404);
  });
});
