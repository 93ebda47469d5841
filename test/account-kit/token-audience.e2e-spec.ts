import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { databasePool } from '../support/database-pool.js';
import { until } from '../support/until.js';
import { type AccountKitSuite, startAccountKitSuite } from './account-kit-suite.js';
import { KmsStandIn } from './keys/kms-stand-in.js';
import { runCommand } from './run-command.js';

const BOT = '4101';
const OTHER_BOT = '4102';
const TARGET = '0x00000000000000000000000000000000000a11ce';
const NOT_BOUND = { status: 403, body: { error: { details: { code: 'platform_token_not_bound' } } } };

let kit: AccountKitSuite;
let kms: KmsStandIn;
let pool: pg.Pool;

beforeAll(async () => {
  kms = await KmsStandIn.start();
  kit = await startAccountKitSuite({ ...kms.environment, ACCEPT_UNBOUND_TOKENS: 'off' });
  pool = databasePool(kit.suite.databaseUrl);
});

afterAll(async () => {
  await pool.end();
  await kit.stop();
  await kms.stop();
});

const command = (args: string[], input = '') =>
  runCommand('platforms', args, { env: { DATABASE_URL: kit.suite.databaseUrl, ...kms.environment }, input });

const read = (botId: string) =>
  kit.call('/accountkit/v1/chatbot/accounts', { headers: { 'X-BOT-TOKEN': kit.platforms.botToken(botId) } });
const sign = (botId: string) =>
  kit.call(`/accountkit/v1/chatbot/evm/submitUserOperation?chainId=${kit.chain.chainId}`, {
    method: 'POST',
    headers: { 'X-BOT-TOKEN': kit.platforms.botToken(botId) },
    body: { target: TARGET, callData: '0x', value: '0' },
  });

describe('the audience of a platform token', () => {
  it('audience of a platform token: lets only listed bots of the client application sign', async () => {
    expect(await sign(BOT)).toMatchObject(NOT_BOUND);
    expect(await read(BOT)).toMatchObject({ status: 200 });
    await command(['add-bot', '--client', 'another', '--bot', BOT]);
    expect(await sign(BOT)).toMatchObject(NOT_BOUND);
    await command(['add-bot', '--client', kit.client.clientId, '--bot', BOT]);
    expect(await sign(BOT)).not.toMatchObject(NOT_BOUND);
    expect(await sign(OTHER_BOT)).toMatchObject(NOT_BOUND);
    await command(['remove-bot', '--client', kit.client.clientId, '--bot', BOT]);
    expect(await sign(BOT)).toMatchObject(NOT_BOUND);
  });

  it('audience of a platform token: does not matter where an operator accepts unbound tokens', async () => {
    await command(['accept-unbound', '--client', kit.client.clientId]);
    expect(await sign(OTHER_BOT)).not.toMatchObject(NOT_BOUND);
    await command(['refuse-unbound', '--client', kit.client.clientId]);
    expect(await sign(OTHER_BOT)).toMatchObject(NOT_BOUND);
  });

  it('audience of a platform token: cannot be set for what is no id of a bot', async () => {
    await expect(command(['add-bot', '--client', kit.client.clientId, '--bot', '042'])).rejects.toMatchObject(
      { code: 64 },
    );
  });
});

/** Submits a payment of nothing, which no account can pay the gas of. */
const signWith = (token: string) =>
  kit.call(`/accountkit/v2/platform/evm/submitUserOperation?platform=codehost&chainId=${kit.chain.chainId}`, {
    method: 'POST',
    headers: { 'X-ACCESS-TOKEN': token },
    body: { userOps: [{ target: TARGET, callData: '0x', value: '0' }] },
  });
/** Refused after the token was accepted, for want of coins. */
const ACCEPTED = { status: 409, body: { error: { details: { code: 'account_funds_required' } } } };

const setApp = (clientId: string, { oauthClientId, secret } = kit.platforms.codehostApp) =>
  command(['set-codehost-app', '--client', clientId, '--oauth-client-id', oauthClientId], `${secret}\n`);

const countChecks = () => kit.platforms.requests.filter((path) => path.startsWith('/applications/')).length;
const countAccounts = async (userId: string): Promise<number> => {
  const { rows } = await pool.query(
    "SELECT FROM account_kit.smart_accounts WHERE platform = 'codehost' AND platform_user_id = $1",
    [userId],
  );
  return rows.length;
};

describe('the audience of a token of the code host', () => {
  it('audience of a token of the code host: is the OAuth application that an operator set for the client application', async () => {
    const { platforms, client } = kit;
    const token = platforms.oauthToken('4201');
    expect(await signWith(token)).toMatchObject(NOT_BOUND);
    await setApp('another');
    expect(await signWith(token)).toMatchObject(NOT_BOUND);
    const { stdout } = await setApp(client.clientId);
    expect(JSON.parse(stdout)).toMatchObject({
      codehostApp: { oauthClientId: platforms.codehostApp.oauthClientId },
    });
    expect(await signWith(token)).toMatchObject(ACCEPTED);
    await command(['remove-codehost-app', '--client', client.clientId]);
    expect(await signWith(token)).toMatchObject(NOT_BOUND);
  });

  it('audience of a token of the code host: keeps tokens of the same user for other applications from signing, without asking the vault', async () => {
    const { platforms, client } = kit;
    await setApp(client.clientId);
    expect(await signWith(platforms.oauthToken('4202'))).toMatchObject(ACCEPTED);
    // The refusal for want of coins does not wait for the vault, which opens the key at the same time.
    let before = -1;
    await until('the vault is not asked any more', async () => {
      before = kms.operations.length;
      await sleep(3_000);
      return kms.operations.length === before;
    });
    for (const token of [
      platforms.oauthToken('4202', 'Iv1.other000000000'),
      platforms.oauthToken('4203', 'Iv1.other000000000'),
      // A personal access token.
      platforms.accessToken('codehost', '4203'),
    ])
      expect(await signWith(token)).toMatchObject(NOT_BOUND);
    expect(kms.operations).toHaveLength(before);
    expect(await countAccounts('4203')).toBe(0);
  });

  it('audience of a token of the code host: is asked once for requests at the same time, and neither for those after it nor again for a refusal', async () => {
    const { platforms, client } = kit;
    await setApp(client.clientId);
    for (const [token, expected] of [
      [platforms.oauthToken('4204'), ACCEPTED],
      [platforms.oauthToken('4204', 'Iv1.other000000000'), NOT_BOUND],
    ] as const) {
      const before = countChecks();
      const answers = await Promise.all(Array.from({ length: 8 }, () => signWith(token)));
      for (const answer of [...answers, await signWith(token)]) expect(answer).toMatchObject(expected);
      expect(countChecks()).toBe(before + 1);
    }
  });

  it('audience of a token of the code host: cannot be checked with a wrong secret, and can with the right one at once', async () => {
    const { platforms, client } = kit;
    const token = platforms.oauthToken('4205');
    await setApp(client.clientId, { ...platforms.codehostApp, secret: 'x'.repeat(40) });
    expect(await signWith(token)).toMatchObject({
      status: 403,
      body: { error: { details: { code: 'platform_application_invalid' } } },
    });
    await setApp(client.clientId);
    expect(await signWith(token)).toMatchObject(ACCEPTED);
  });

  it('audience of a token of the code host: keeps its secret to itself', async () => {
    const { secret } = kit.platforms.codehostApp;
    const { stdout, stderr } = await setApp(kit.client.clientId);
    const { stdout: shown } = await command(['show', '--client', kit.client.clientId]);
    const { rows } = await pool.query<{ text: string }>(
      'SELECT app::text AS text FROM account_kit.codehost_apps AS app',
    );
    const texts = [stdout, stderr, shown, ...rows.map(({ text }) => text)].join('\n');
    expect(texts).toContain(kit.platforms.codehostApp.oauthClientId);
    expect(texts).not.toContain(secret);
    expect(texts).not.toContain(Buffer.from(secret).toString('hex'));
  });

  it.each([
    ['no secret', 'Iv1.demo0000000000', ''],
    ['two lines', 'Iv1.demo0000000000', `${'x'.repeat(40)}\n${'x'.repeat(40)}\n`],
    ['a megabyte', 'Iv1.demo0000000000', 'x'.repeat(2 ** 20)],
    ['a path as client id', '../..', 'x'.repeat(40)],
  ])('audience of a token of the code host: cannot be set with %s', async (_, oauthClientId, secret) => {
    await expect(setApp('yet-another', { oauthClientId, secret })).rejects.toMatchObject({ code: 64 });
    const { rows } = await pool.query(
      "SELECT FROM account_kit.codehost_apps WHERE client_id = 'yet-another'",
    );
    expect(rows).toEqual([]);
  });
});
