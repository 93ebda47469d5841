import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { CallbackLog } from '../support/callback-log.js';
import { until } from '../support/until.js';
import { asClient, asUser, RolesWorld } from '../token-gating/roles-world.js';

jest.setTimeout(120_000);

const ROUNDS = 20;
/** Differences of latencies below this mean nothing on a busy machine. */
const NOISE_MS = 50;
const FLOOD = 15_000;
/** Two attempts at a time to each would take all that receivers may have that have not answered yet. */
const SILENT_RECEIVERS = 520;

const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

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

  it('T54: are not delayed by thousands of role changes of another tenant', async () => {
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
    expect(besides).toBeLessThan(3 * alone + NOISE_MS);
  });

  it('T55: reach a receiver that never answered before, beside hundreds that do not answer', async () => {
    const start = (count: number) => Promise.all(Array.from({ length: count }, () => CallbackLog.start()));
    const logs = await start(2 * ROUNDS);
    closers.push(() => Promise.all(logs.map((log) => log.stop())));
    const alone = await measureAll(logs.slice(0, ROUNDS));
    const silent = await Promise.all(Array.from({ length: SILENT_RECEIVERS }, silentServer));
    closers.push(() => Promise.all(silent.map(({ stop }) => stop())));
    const communityId = await createCommunity(silent.map(({ url }) => url));
    await world.communities.query(
      `INSERT INTO token_gating.deliveries (id, tenant_id, request_id, client_id, payload, url, next_attempt_at, expires_at)
       SELECT 'msg_' || gen_random_uuid(), tenant_id, gen_random_uuid(), client_id, $2, callback_url, now(),
         now() + interval '1 day'
       FROM token_gating.community_clients, generate_series(1, 2) WHERE community_id = $1`,
      [communityId, { communityId, userId: 'user', at: new Date().toISOString(), roles: [] }],
    );
    const isBusy = () => silent.filter(({ isConnected }) => isConnected()).length >= SILENT_RECEIVERS / 3;
    await until('many attempts wait for an answer', isBusy);
    await sleep(500); // until the attacker has all that it can have
    const besides = await measureAll(logs.slice(ROUNDS));
    expect(besides).toBeLessThan(3 * alone + NOISE_MS);
  });
});

/** Accepts connections and never answers. */
async function silentServer() {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy()).resume();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const stop = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  };
  return { url: `http://127.0.0.1:${port}/hook`, isConnected: () => sockets.size > 0, stop };
}
