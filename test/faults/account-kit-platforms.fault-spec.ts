import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '../support/until.js';
import { AccountKitWorld } from './account-kit-world.js';
import type { Instance } from './instance-places.js';

let world: AccountKitWorld;
let instance: Instance;

beforeAll(async () => {
  world = await AccountKitWorld.start({ ACCEPT_UNBOUND_TOKENS: 'off' });
  await world.pool.query(
    "INSERT INTO account_kit.application_platforms (client_id, bot_ids) VALUES ($1, '{1,2,3,4}')",
    [world.kit.client.clientId],
  );
  await world.setCodehostApp();
  instance = await world.startInstance();
});

afterEach(() => {
  world.kit.platforms.intercept = () => false;
});

afterAll(() => world.stop());

const countAccounts = async (): Promise<number> => {
  const { rows } = await world.pool.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM account_kit.smart_accounts',
  );
  return rows[0]?.count ?? 0;
};

const answerText = (text: string) => (_: unknown, response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(text);
  return true;
};
const answerId = (id: string) => answerText(`{"ok":true,"result":{"id":${id},"is_bot":true}}`);

const SECONDARY_LIMIT = '{"message":"You have exceeded a secondary rate limit. Please wait a few minutes."}';
const TOO_MANY_LOGINS = '{"message":"Maximum number of login attempts exceeded. Please try again later."}';

/** The token is accepted, and the account has no coins for its gas. */
const WITHOUT_FUNDS = { status: 409, body: { error: { details: { code: 'account_funds_required' } } } };

describe('a platform', () => {
  it('T109: platform that refuses a token: ends its signing within ten seconds, and what was signed stays', async () => {
    await world.fundedAccount(instance, '1');
    expect((await world.submit(instance, '1', 1n)).status).toBe(200);
    await world.untilIncluded('1');
    const token = world.kit.platforms.botToken('1');
    const oauthToken = world.kit.platforms.oauthToken('5');
    expect(await world.signWith(instance, oauthToken)).toMatchObject(WITHOUT_FUNDS);
    world.kit.platforms.revoked.add(token);
    // The user goes on using other applications.
    world.kit.platforms.intercept = ({ url }, response) => {
      const isCheck = url?.startsWith('/applications/') ?? false;
      if (isCheck) response.writeHead(404).end('{}');
      return isCheck;
    };
    let last = await world.submit(instance, '1', 1n);
    await until('the token signs no more', async () => {
      last = await world.submit(instance, '1', 1n);
      // 429: as many as an account may have are unfinished.
      return last.status !== 200 && last.status !== 429;
    });
    await until('the token of the OAuth application signs no more', async () => {
      const { status } = await world.signWith(instance, oauthToken);
      return status === 403;
    });
    expect(last).toMatchObject({
      status: 401,
      body: { error: { details: { code: 'platform_token_invalid' } } },
    });
    const stored = await world.untilIncluded('1');
    expect((await world.submit(instance, '1', 1n)).status).toBe(401);
    // Reads use the same answer of the platform.
    const reading = await world.call(instance.gateway, '/accountkit/v1/chatbot/accounts', '1');
    expect(reading.status).toBe(401);
    expect(await world.operationsOf('1')).toHaveLength(stored.length);
  });

  it('T109: platform that does not answer: gives 503, and other tokens are served', async () => {
    await world.fundedAccount(instance, '2');
    const slow = world.kit.platforms.botToken('3');
    world.kit.platforms.intercept = ({ url }) =>
      [slow, '/applications/'].some((part) => url?.includes(part) ?? false);
    const waiting = [
      world.submit(instance, '3', 1n),
      world.signWith(instance, world.kit.platforms.oauthToken('6')),
    ];
    expect((await world.submit(instance, '2', 1n)).status).toBe(200);
    for (const response of await Promise.all(waiting))
      expect(response).toMatchObject({
        status: 503,
        body: { error: { details: { code: 'platform_unavailable' } } },
      });
    expect(await world.operationsOf('3')).toEqual([]);
  });

  it.each([
    ['a number above 2^53', answerId('9007199254740993')],
    ['a leading zero', answerId('"042"')],
    ['a negative number', answerId('-1')],
    ['zero', answerId('0')],
    ['20 digits', answerId(`"${'9'.repeat(20)}"`)],
    ['a fraction', answerId('1.5')],
    ['a list', answerId('[42]')],
    ['no bot', answerText('{"ok":true,"result":{"id":42,"is_bot":false}}')],
    ['HTML', answerText('<html>42</html>')],
    ['nothing', answerText('')],
    ['a megabyte', answerText(`{"ok":true,"result":{"id":42,"is_bot":true,"x":"${'x'.repeat(2 ** 20)}"}}`)],
  ])('T110: platform that answers with %s: gives 502, and no account', async (_, intercept) => {
    world.kit.platforms.intercept = intercept;
    const before = await countAccounts();
    for (const path of ['/accountkit/v1/chatbot/accounts', undefined]) {
      const response =
        path === undefined
          ? await world.submit(instance, '4', 1n)
          : await world.call(instance.gateway, path, '4');
      expect(response).toMatchObject({
        status: 502,
        body: { error: { details: { code: 'platform_response_invalid' } } },
      });
    }
    expect(await countAccounts()).toBe(before);
    expect(await world.operationsOf('42')).toEqual([]);
  });

  const app = (id: string) => `"app":{"client_id":"${id}"}`;
  const OWN = app('Iv1.demo0000000000');

  it.each([
    ['another user', `{${OWN},"user":{"id":42}}`],
    ['another application', `{${app('Iv1.other000000000')},"user":{"id":7}}`],
    ['no user', `{${OWN},"user":null}`],
    ['an id as text', `{${OWN},"user":{"id":"7"}}`],
    ['a number above 2^53', `{${OWN},"user":{"id":9007199254740993}}`],
    ['a negative number', `{${OWN},"user":{"id":-7}}`],
    ['HTML', '<html>7</html>'],
    ['a megabyte', `{${OWN},"user":{"id":7},"x":"${'x'.repeat(2 ** 20)}"}`],
  ])(
    'T110: platform that answers the check of a token with %s: gives 502, and no account',
    async (_, text) => {
      world.kit.platforms.intercept = ({ url }, response) =>
        (url?.startsWith('/applications/') ?? false) && answerText(text)(undefined, response);
      const before = await countAccounts();
      expect(await world.signWith(instance, world.kit.platforms.oauthToken('7'))).toMatchObject({
        status: 502,
        body: { error: { details: { code: 'platform_response_invalid' } } },
      });
      expect(await countAccounts()).toBe(before);
    },
  );

  it.each([
    ['500', 500, {}],
    ['429', 429, { 'retry-after': '7' }],
    ['403 with a time to wait', 403, { 'retry-after': '7' }],
    ['403 without remaining requests', 403, { 'x-ratelimit-remaining': '0' }],
    ['403 and nothing else', 403, {}],
    ['403 and a message of too many log-ins', 403, {}, TOO_MANY_LOGINS],
  ])(
    'T109: platform that answers the check of a token with %s: gives 503',
    async (_, status, headers, text = '') => {
      world.kit.platforms.intercept = ({ url }, response) => {
        const isCheck = url?.startsWith('/applications/') ?? false;
        if (isCheck) response.writeHead(status, headers).end(text);
        return isCheck;
      };
      expect(await world.signWith(instance, world.kit.platforms.oauthToken('8'))).toMatchObject({
        status: 503,
        body: { error: { details: { code: 'platform_unavailable' } } },
      });
    },
  );

  it.each([
    ['a time to wait', '21', { 'retry-after': '7' }],
    ['no remaining requests', '22', { 'x-ratelimit-remaining': '0' }],
    ['a message of a secondary limit', '23', {}, SECONDARY_LIMIT],
    ['HTML', '24', {}, '<html>Forbidden</html>'],
    ['nothing', '25', {}],
  ])(
    'T109: platform that answers 403 with %s for a token: gives 503, and does not refuse the token',
    async (_, userId, headers, text = '') => {
      const token = world.kit.platforms.oauthToken(userId);
      world.kit.platforms.intercept = (request, response) => {
        const isUser = request.url === '/user';
        if (isUser) response.writeHead(403, headers).end(text);
        return isUser;
      };
      expect(await world.signWith(instance, token)).toMatchObject({
        status: 503,
        body: { error: { details: { code: 'platform_unavailable' } } },
      });
      world.kit.platforms.intercept = () => false;
      // A refusal of the token would be kept for 30 s.
      expect(await world.signWith(instance, token)).toMatchObject(WITHOUT_FUNDS);
    },
  );

  it('T109: platform that answers 403 with a reason in JSON that is no limit: gives 401', async () => {
    world.kit.platforms.intercept = (request, response) => {
      const isUser = request.url === '/user';
      if (isUser) response.writeHead(403).end('{"message":"Resource not accessible by integration"}');
      return isUser;
    };
    expect(await world.signWith(instance, world.kit.platforms.oauthToken('26'))).toMatchObject({
      status: 401,
      body: { error: { details: { code: 'platform_token_invalid' } } },
    });
  });
});
