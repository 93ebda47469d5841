import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { CallbackLog } from '../support/callback-log.js';
import { until } from '../support/until.js';
import { asClient, asUser, RolesWorld } from '../token-gating/roles-world.js';
import { expectUndisturbed, median } from './latency.js';

const ROUNDS = 20;
const FLOOD = 15_000;
/** `MAX_UNTRUSTED` of callback-dispatcher.ts: attempts in flight to receivers that never answered. */
const MAX_UNTRUSTED = 1_000;
/** Receivers that hang: with two attempts each, they are more than the attempts in flight. */
const HANGING_RECEIVERS = 600;
/** As many as an application may register. */
const ENDPOINTS = 10;
const ENDPOINT_EVENTS = 2_000;

/** The callbacks of one tenant beside those of another. */
describe('callbacks of a tenant', () => {
  let world: RolesWorld;
  let account: string;
  const closers: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    world = await RolesWorld.start({ CALLBACK_ALLOW_CIDRS: '127.0.0.0/8' });
    account = await world.wallet();
  });

  afterEach(async () => {
    await world.communities.query("DELETE FROM token_gating.deliveries WHERE tenant_id = 'attacker'");
    for (const close of closers.splice(0)) await close();
  });

  afterAll(() => world.stop());

  /** Milliseconds until the callback of a new check arrives. */
  const measure = async (log: CallbackLog): Promise<number> => {
    const startMs = performance.now();
    const arrived = new Promise<void>((resolve) => {
      log.answer = (_, response) => {
        response.writeHead(204).end();
        resolve();
      };
    });
    const request = { account, rules: [world.holds('1')], callbackUrl: log.url() };
    const { status } = await world.gating.check(request, {}, asClient('client_victim'));
    expect(status).toBe(200);
    await arrived;
    return performance.now() - startMs;
  };

  const measureAll = async (logs: CallbackLog[]): Promise<number> => {
    const latencies = [];
    for (const log of logs) {
      latencies.push(await measure(log));
      await sleep(50);
    }
    return median(latencies);
  };

  /** Creates a community of the attacker with a client application for each URL. */
  const createCommunity = async (urls: string[], members: string[] = []): Promise<string> => {
    const clients = urls.map((_, at) => `client_${at}`);
    const id = await world.communities.create({
      roles: ['r'],
      members,
      administrators: ['attacker'],
      clients,
    });
    await world.communities.query(
      `UPDATE token_gating.community_clients AS k SET tenant_id = 'attacker', callback_url = u.url
       FROM unnest($2::text[], $3::text[]) AS u (client_id, url) WHERE k.community_id = $1 AND k.client_id = u.client_id`,
      [id, clients, urls],
    );
    return id;
  };

  it('T54: callbacks of a tenant: are not delayed by thousands of role changes of another tenant', async () => {
    const flooded = await CallbackLog.start();
    const log = await CallbackLog.start();
    closers.push(() => Promise.all([flooded.stop(), log.stop()]));
    const logs = Array.from({ length: ROUNDS }, () => log);
    await measureAll(logs);
    const alone = await measureAll(logs);
    const members = Array.from({ length: FLOOD }, (_, at) => `user_${at}`);
    const communityId = await createCommunity([flooded.url()], members);
    await world.communities.query(
      `INSERT INTO token_gating.role_assignments (community_id, user_id, role_id) SELECT $1, unnest($2::text[]), 'r'`,
      [communityId, members],
    );
    const as = asUser('attacker', 'community:write');
    const path = `/communities/${communityId}/roles/r`;
    const { status } = await world.gating.request('DELETE', path, undefined, {}, as);
    expect(status).toBe(200);
    const besides = await measureAll(logs);
    expect(flooded.seen.length).toBeGreaterThan(0);
    expectUndisturbed(besides, alone, 500);
  });

  it('T100: callbacks of a tenant: are not delayed by those of another tenant to many receivers that never answer', async () => {
    const [aloneLogs, besidesLogs] = [await startLogs(), await startLogs()];
    const alone = await measureAtOnce(aloneLogs);
    const sockets = new Set<Socket>();
    const hanging = Array.from({ length: HANGING_RECEIVERS }, () =>
      createServer((socket) => sockets.add(socket)).listen(0, '127.0.0.1'),
    );
    await Promise.all(hanging.map((server) => once(server, 'listening')));
    closers.push(() => {
      for (const socket of sockets) socket.destroy();
      return Promise.all(hanging.map((server) => promisify(server.close.bind(server))()));
    });
    const urls = hanging.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await world.communities.query(
      `INSERT INTO token_gating.deliveries (id, tenant_id, check_id, url, created_at, next_attempt_at)
       SELECT 'msg_' || gen_random_uuid(), 'attacker', (SELECT id FROM token_gating.checks LIMIT 1), url, now(), now()
       FROM unnest($1::text[]) AS url, generate_series(1, 2)`,
      [urls],
    );
    const unclaimed = `SELECT 1 FROM token_gating.deliveries WHERE tenant_id = 'attacker' AND next_attempt_at = created_at`;
    await until(
      'all callbacks of the tenant are sent or deferred',
      async () => (await world.communities.query(unclaimed)).length === 0,
    );
    expectUndisturbed(await measureAtOnce(besidesLogs), alone, 500);
    expect(sockets.size).toBeGreaterThanOrEqual(MAX_UNTRUSTED / 2);
  });

  it('T375: callbacks of a tenant: are not delayed by thousands of events for ten endpoints of another tenant that never answer', async () => {
    const [aloneLogs, besidesLogs] = [await startLogs(), await startLogs()];
    const alone = await measureAtOnce(aloneLogs);
    const sockets = new Set<Socket>();
    const hanging = Array.from({ length: ENDPOINTS }, () =>
      createServer((socket) => sockets.add(socket)).listen(0, '127.0.0.1'),
    );
    await Promise.all(hanging.map((server) => once(server, 'listening')));
    closers.push(() => {
      for (const socket of sockets) socket.destroy();
      return Promise.all(hanging.map((server) => promisify(server.close.bind(server))()));
    });
    const members = Array.from({ length: ENDPOINT_EVENTS }, (_, at) => `listed_${at}`);
    const clientId = 'client_attacker';
    const communityId = await world.communities.create({
      roles: ['r'],
      members,
      administrators: ['attacker'],
      clients: [clientId],
    });
    await world.communities.query(
      `INSERT INTO token_gating.callback_endpoints (id, client_id, tenant_id, url, events, description, sealed_secret, scopes)
       SELECT 'endpoint_' || position, $1, 'attacker', url, '{role.revoked}', '', '', '{token-gating}'
       FROM unnest($2::text[]) WITH ORDINALITY AS u (url, position)`,
      [clientId, hanging.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`)],
    );
    await world.communities.query(
      `INSERT INTO token_gating.role_assignments (community_id, user_id, role_id) SELECT $1, unnest($2::text[]), 'r'`,
      [communityId, members],
    );
    const as = asUser('attacker', 'community:write');
    const path = `/communities/${communityId}/roles/r`;
    expect((await world.gating.request('DELETE', path, undefined, {}, as)).status).toBe(200);
    const waiting = `SELECT 1 FROM token_gating.deliveries WHERE tenant_id = 'attacker' AND endpoint_id IS NOT NULL LIMIT 2000`;
    await until(
      'thousands of events wait, and the endpoints hang',
      async () => sockets.size >= ENDPOINTS && (await world.communities.query(waiting)).length === 2_000,
    );
    expectUndisturbed(await measureAtOnce(besidesLogs), alone, 500);
  });

  /** Measures a callback to each receiver, all at the same time. */
  const measureAtOnce = async (logs: CallbackLog[]): Promise<number> =>
    median(await Promise.all(logs.map(measure)));

  /** Receivers that never answered before. */
  const startLogs = async (): Promise<CallbackLog[]> => {
    const logs = await Promise.all(Array.from({ length: ROUNDS }, () => CallbackLog.start()));
    closers.push(() => Promise.all(logs.map((log) => log.stop())));
    return logs;
  };
});
