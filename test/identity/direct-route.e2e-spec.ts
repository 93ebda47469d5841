import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { deriveUserId, PRINCIPAL_HEADER, type Principal } from '@app/auth';
import { freePort } from '../../scripts/processes/ports.mjs';
import { freshDatabase, type FreshDatabase } from '../support/fresh-database.js';
import { type RunningApp, runningApp } from '../support/running-app.js';
import { until } from '../support/until.js';
import { identityUnderTest, type IdentityUnderTest } from './identity-under-test.js';
import { newKey } from './linking-world.js';
import { type TcpForwarder, tcpForwarder } from './tcp-forwarder.js';

const DIRECT = '/account/me';
/** A query sends a request through Express' router and Nest's chain. */
const ROUTED = `${DIRECT}?routed`;
const OPERATION = 'AccountController.getUserProfile';

let database: FreshDatabase;
let forwarder: TcpForwarder;
let identity: IdentityUnderTest;
let app: RunningApp;

beforeAll(async () => {
  database = await freshDatabase('identity');
  const url = new URL(database.url);
  const port = await freePort();
  forwarder = tcpForwarder(port, { host: url.hostname, port: Number(url.port || 5432) });
  await forwarder.open();
  url.host = `127.0.0.1:${port}`;
  identity = await identityUnderTest(url.href);
  app = await runningApp('identity', identity.env);
}, 60_000);

afterAll(async () => {
  await app.stop();
  await forwarder.close();
  await database.drop();
});

interface Sent {
  readonly as?: Principal;
  readonly token?: string;
  readonly operation?: string;
  readonly headers?: Record<string, string>;
  readonly method?: 'GET' | 'HEAD';
}

async function send(path: string, { as = anyUser, token, operation, headers, method }: Sent) {
  const own = token ?? (await identity.tokenFor(as, 'gateway', 'identity', operation ?? OPERATION));
  const response = await fetch(app.url + path, {
    method: method ?? 'GET',
    headers: { [PRINCIPAL_HEADER]: own, ...headers },
  });
  const requestId = response.headers.get('x-request-id') ?? '';
  return {
    requestId,
    status: response.status,
    headers: [...response.headers].filter(([name]) => !['date', 'x-request-id'].includes(name)),
    body: (await response.text()).replaceAll(requestId, '<request id>'),
  };
}

/** Asks both ways, which must differ in the request id only. */
async function sendBothWays(sent: Sent) {
  const [direct, routed] = [await send(DIRECT, sent), await send(ROUTED, sent)];
  expect({ ...direct, requestId: '' }).toEqual({ ...routed, requestId: '' });
  expect(await findLogLine(direct.requestId)).toEqual(await findLogLine(routed.requestId));
  return direct;
}

/** The line that the app has logged of a request, without what differs by request. */
async function findLogLine(requestId: string): Promise<unknown> {
  let found: string | undefined;
  await until('the request is logged', () => {
    found = app.logLines.find((line) => line.includes(requestId) && line.includes('"message":"request"'));
    return Promise.resolve(found !== undefined);
  });
  const line = JSON.parse(found ?? '') as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(line).filter(([name]) => !['time', 'requestId', 'ms'].includes(name)),
  );
}

function newUser() {
  const { address } = newKey();
  const user = { id: deriveUserId('ethereum', address.toLowerCase()), account: `eip155:1:${address}` };
  const client = { id: 'client_1', ownerId: 'owner_1', plan: 'free' };
  const caller = (...scopes: 'user:read'[]): Principal => ({ kind: 'caller', client, user, scopes });
  return { user, caller };
}

const anyUser = newUser().caller();
const stranger = { kind: 'caller', user: { id: 'user_unknown' }, scopes: ['user:read'] } as const;
const withoutUser = {
  kind: 'caller',
  client: { id: 'client_1', ownerId: 'owner_1', plan: 'free' },
  scopes: [],
} as const;

describe('getUserProfile', () => {
  it.each<[string, number, () => Sent]>([
    ['a user of a wallet', 200, () => ({ as: newUser().caller('user:read') })],
    ['a user without the scope of names', 200, () => ({ as: newUser().caller() })],
    ['a user whom nobody knows', 404, () => ({ as: { ...stranger, scopes: [...stranger.scopes] } })],
    ['a client application without a user', 401, () => ({ as: { ...withoutUser, scopes: [] } })],
    ['an anonymous caller', 401, () => ({ as: { kind: 'anonymous' } })],
    ['an app instead of a caller', 403, () => ({ as: { kind: 'service', name: 'gateway' } })],
    ['a token of another operation', 403, () => ({ operation: 'AccountController.getWallets' })],
    ['a wrong token', 401, () => ({ token: 'a.b.c' })],
    ['another media type in Accept', 200, () => ({ headers: { Accept: 'text/html' } })],
    ['a HEAD request', 200, () => ({ method: 'HEAD' })],
  ])('getUserProfile: answers and logs %s on its direct route as by the router', async (_, status, sent) => {
    expect((await sendBothWays(sent())).status).toBe(status);
  });

  it('getUserProfile: stores the user of a first request on its direct route, once', async () => {
    const { user, caller } = newUser();
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => send(DIRECT, { as: caller('user:read') })),
    );
    expect(new Set(answers.map(({ status, body }) => `${status} ${body}`)).size).toBe(1);
    expect(JSON.parse(answers[0]?.body ?? '')).toMatchObject({ id: user.id, address: user.account });
  });

  it('getUserProfile: reads a change of the profile at once on its direct route', async () => {
    const { caller } = newUser();
    const as = caller('user:read');
    const changer = { ...as, scopes: ['user:read', 'user:write'] } as Principal;
    for (const name of ['Ann', 'Ben']) {
      await identity.request('PATCH', DIRECT, changer, { name });
      expect(JSON.parse((await send(DIRECT, { as })).body)).toMatchObject({ name });
    }
  });

  it('T305: getUserProfile: is 503 on both ways while the database is away, and the profile once it is back', async () => {
    const as = newUser().caller('user:read');
    const before = await sendBothWays({ as });
    expect(before.status).toBe(200);
    await forwarder.close();
    const away = await sendBothWays({ as });
    expect([away.status, away.body]).toEqual([503, expect.stringContaining('database_unavailable')]);
    await forwarder.open();
    await until('it is back', async () => (await send(DIRECT, { as })).status === 200);
    expect((await sendBothWays({ as })).body).toBe(before.body);
  });
});
