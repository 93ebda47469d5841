import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bundleOf } from '../../scripts/local/bundle.mjs';
import { root } from '../../scripts/local/project.mjs';
import { type AccountKitSuite, startAccountKitSuite } from './account-kit-suite.js';

const run = promisify(execFile);
const BOT = '4101';
const OTHER_BOT = '4102';
const TARGET = '0x00000000000000000000000000000000000a11ce';
const NOT_BOUND = { status: 403, body: { error: { details: { code: 'platform_token_not_bound' } } } };

let kit: AccountKitSuite;

beforeAll(async () => {
  kit = await startAccountKitSuite({ ACCEPT_UNBOUND_TOKENS: 'off' });
});

afterAll(async () => {
  await kit.stop();
});

const command = (...args: string[]) =>
  run(process.execPath, [bundleOf(root, 'account-kit', 'platforms.command.js'), ...args], {
    env: { DATABASE_URL: kit.suite.databaseUrl, PATH: process.env.PATH },
  });

const read = (botId: string) =>
  kit.call('/accountkit/v1/chatbot/accounts', { headers: { 'X-BOT-TOKEN': kit.platforms.botToken(botId) } });
const sign = (botId: string) =>
  kit.call(`/accountkit/v1/chatbot/evm/submitUserOperation?chainId=${kit.chain.chainId}`, {
    method: 'POST',
    headers: { 'X-BOT-TOKEN': kit.platforms.botToken(botId) },
    body: { target: TARGET, callData: '0x', value: '0' },
  });

describe('the audience of a platform token', () => {
  it('lets only listed bots of the client application sign', async () => {
    expect(await sign(BOT)).toMatchObject(NOT_BOUND);
    expect(await read(BOT)).toMatchObject({ status: 200 });
    await command('add-bot', '--client', 'another', '--bot', BOT);
    expect(await sign(BOT)).toMatchObject(NOT_BOUND);
    await command('add-bot', '--client', kit.client.clientId, '--bot', BOT);
    expect(await sign(BOT)).not.toMatchObject(NOT_BOUND);
    expect(await sign(OTHER_BOT)).toMatchObject(NOT_BOUND);
    await command('remove-bot', '--client', kit.client.clientId, '--bot', BOT);
    expect(await sign(BOT)).toMatchObject(NOT_BOUND);
  });

  it('does not matter where an operator accepts unbound tokens', async () => {
    await command('accept-unbound', '--client', kit.client.clientId);
    expect(await sign(OTHER_BOT)).not.toMatchObject(NOT_BOUND);
    await command('refuse-unbound', '--client', kit.client.clientId);
    expect(await sign(OTHER_BOT)).toMatchObject(NOT_BOUND);
  });

  it('cannot be set for what is no id of a bot', async () => {
    await expect(command('add-bot', '--client', kit.client.clientId, '--bot', '042')).rejects.toMatchObject({
      code: 64,
    });
  });
});
