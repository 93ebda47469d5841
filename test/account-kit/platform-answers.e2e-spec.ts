import 'reflect-metadata';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { AppError } from '@app/common';
import fc from 'fast-check';
import { PlatformClient } from '../../apps/account-kit/src/owners/platform-client.js';
import { PlatformHttpClient } from '../../apps/account-kit/src/owners/platform-http-client.js';
import { PlatformsConfig } from '../../apps/account-kit/src/owners/platforms.config.js';
import { CodehostTokenClient } from '../../apps/account-kit/src/custody/token-audience/codehost-token-client.js';

const RUNS = 150;
const APPLICATION = 'Iv1.a1b2c3';
/** What a platform answers next. */
let answer = { status: 200, text: '' };
let server: Server;
let http: PlatformHttpClient;

beforeAll(async () => {
  server = createServer((_, response) => {
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.text);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const names = ['PLATFORM_CHAT_URL', 'PLATFORM_MICROBLOG_URL', 'PLATFORM_CODEHOST_URL'];
  for (const name of names) process.env[name] = url;
  http = new PlatformHttpClient(new PlatformsConfig());
  for (const name of names) Reflect.deleteProperty(process.env, name);
});

afterAll(async () => {
  await http.onApplicationShutdown();
  server.closeAllConnections();
  server.close();
});

/** Ids of each type and spelling, of which only canonical decimal text and safe integers name an account. */
const id = fc.oneof(
  fc.bigInt({ min: 1n, max: 2n ** 70n }).map(String),
  fc.integer(),
  fc.constantFrom(
    '01',
    '0',
    '-1',
    '+1',
    '1e3',
    '1.0',
    ' 1',
    '1\n',
    1.5,
    2 ** 53,
    1e300,
    null,
    true,
    '0x1',
    '',
  ),
  fc.jsonValue(),
);
/** The fields of all platforms at once, so that fields of one are in answers of another. */
const body = fc
  .record(
    {
      id,
      ok: fc.constantFrom(true, false, 1, 'true'),
      result: fc.record({ id, is_bot: fc.constantFrom(true, false, 1) }, { requiredKeys: [] }),
      data: fc.oneof(fc.record({ id }), fc.array(fc.record({ id }))),
      app: fc.record(
        { client_id: fc.constantFrom(APPLICATION, 'Iv1.other', '', 1, null) },
        { requiredKeys: [] },
      ),
      user: fc.record({ id }, { requiredKeys: [] }),
    },
    { requiredKeys: [] },
  )
  .map((fields) => JSON.stringify(fields));
const text = fc.oneof(
  { weight: 4, arbitrary: body },
  { weight: 1, arbitrary: fc.json() },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', '{', 'null', '<html>', '[]', `{"id":1,"x":"${'x'.repeat(100_000)}"}`),
  },
);
const status = fc.oneof(
  { weight: 3, arbitrary: fc.constant(200) },
  { weight: 1, arbitrary: fc.constantFrom(201, 204, 301, 400, 401, 403, 404, 422, 429, 500, 503) },
);

interface Named {
  readonly id?: unknown;
  readonly ok?: unknown;
  readonly result?: { readonly id?: unknown; readonly is_bot?: unknown };
  readonly data?: { readonly id?: unknown };
  readonly app?: { readonly client_id?: unknown };
  readonly user?: { readonly id?: unknown };
}

/** The id that an answer of the platform may name. */
const EXPECTED = {
  chat: ({ ok, result }: Named) => (ok === true && result?.is_bot === true ? result.id : undefined),
  microblog: ({ data }: Named) => (typeof data?.id === 'string' ? data.id : undefined),
  codehost: ({ id: own }: Named) => (typeof own === 'number' ? own : undefined),
} as const;
const TOKENS = { chat: `123456:${'a'.repeat(35)}`, microblog: 'a'.repeat(40), codehost: 'a'.repeat(40) };

/** Accepted ids are those of the answer; all else is a documented error. */
async function checkAnswer(
  load: () => Promise<string>,
  toExpected: (named: Named) => unknown,
  errors: readonly number[],
): Promise<void> {
  const outcome = await load().catch((error: unknown) => error);
  if (typeof outcome !== 'string') {
    expect(outcome).toBeInstanceOf(AppError);
    expect(errors).toContain((outcome as AppError).statusCode);
    return;
  }
  expect(answer.status).toBe(200);
  expect(outcome).toMatch(/^[1-9]\d{0,18}$/);
  expect(outcome).toBe(String(toExpected(JSON.parse(answer.text) as Named)));
}

it.each(['chat', 'microblog', 'codehost'] as const)(
  'PlatformClient: takes no id from a foreign answer of the platform %s, and answers 401, 502 or 503',
  async (platform) => {
    const client = new PlatformClient(http);
    const load = () => client.loadUserId({ clientId: 'client', platform, token: TOKENS[platform] });
    await fc.assert(
      fc.asyncProperty(status, text, async (nextStatus, nextText) => {
        answer = { status: nextStatus, text: nextText };
        await checkAnswer(load, EXPECTED[platform], [401, 502, 503]);
      }),
      { numRuns: RUNS },
    );
  },
);

it('CodehostTokenClient: takes no token of another application and no foreign answer, and answers 403, 502 or 503', async () => {
  const client = new CodehostTokenClient(http);
  const app = { oauthClientId: APPLICATION, secret: 'secret', version: '1' };
  await fc.assert(
    fc.asyncProperty(status, text, async (nextStatus, nextText) => {
      answer = { status: nextStatus, text: nextText };
      const toExpected = ({ app: named, user }: Named) =>
        named?.client_id === APPLICATION && typeof user?.id === 'number' ? user.id : undefined;
      await checkAnswer(() => client.loadUserId('client', app, TOKENS.codehost), toExpected, [403, 502, 503]);
    }),
    { numRuns: RUNS },
  );
});
