import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { until } from '../support/until.js';
import { AccountKitWorld, type Instance } from './account-kit-world.js';

jest.setTimeout(120_000);

let world: AccountKitWorld;
let instance: Instance;

beforeAll(async () => {
  world = await AccountKitWorld.start();
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

describe('a platform', () => {
  it('T109: that refuses a token ends its signing within ten seconds, and what was signed stays', async () => {
    await world.fundedAccount(instance, '1');
    expect((await world.submit(instance, '1', 1n)).status).toBe(200);
    await world.untilIncluded('1');
    const token = world.kit.platforms.botToken('1');
    world.kit.platforms.revoked.add(token);
    let last = await world.submit(instance, '1', 1n);
    await until('the token signs no more', async () => {
      last = await world.submit(instance, '1', 1n);
      return last.status !== 200;
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

  it('T109: that does not answer gives 503, and other tokens are served', async () => {
    await world.fundedAccount(instance, '2');
    const slow = world.kit.platforms.botToken('3');
    world.kit.platforms.intercept = ({ url }) => url?.includes(slow) ?? false;
    const waiting = world.submit(instance, '3', 1n);
    expect((await world.submit(instance, '2', 1n)).status).toBe(200);
    expect(await waiting).toMatchObject({
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
  ])('T110: that answers with %s gives 502, and no account', async (_, intercept) => {
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
});
