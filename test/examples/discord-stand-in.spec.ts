import { createPublicKey, verify } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { DEMO_DISCORD, DEMO_DISCORD_PUBLIC_KEY, Discord } from '../../scripts/demo/platforms/discord.mjs';

const { applicationId, guildId, roleId, highRoleId, botToken } = DEMO_DISCORD;
const [ANN, BEN] = ['210000000000000001', '210000000000000002'];
const HEADERS = {
  authorization: `Bot ${botToken}`,
  'user-agent': 'DiscordBot (https://bot.example, 1.0.0)',
};
const JSON_HEADERS = { ...HEADERS, 'content-type': 'application/json' };
const COMMANDS = `/applications/${applicationId}/guilds/${guildId}/commands`;
const VERIFY = { name: 'verify', type: 1, description: 'Get your roles' };
const roleOf = (user: string, role = roleId): string => `/guilds/${guildId}/members/${user}/roles/${role}`;

/** What an application answers an interaction. */
type Answering = (
  headers: IncomingHttpHeaders,
  body: string,
) => { status: number; type?: string; body?: object };

const publicKey = createPublicKey({
  key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(DEMO_DISCORD_PUBLIC_KEY, 'hex').toString('base64url') },
  format: 'jwk',
});
/** An application as the documents of Discord want it. */
const careful: Answering = (headers, body) => {
  const content = Buffer.from(`${String(headers['x-signature-timestamp'])}${body}`);
  const signature = Buffer.from(String(headers['x-signature-ed25519']), 'hex');
  if (!verify(null, content, publicKey, signature)) return { status: 401 };
  const isPing = (JSON.parse(body) as { type: number }).type === 1;
  return { status: 200, body: isPing ? { type: 1 } : { type: 5, data: { flags: 64 } } };
};

let discord: Discord;
let answer: Answering;
let server: Server;
let url: string;

beforeEach(async () => {
  discord = new Discord();
  answer = careful;
  server = createServer((request, response) => {
    void text(request).then((content) => {
      const { status, type = 'application/json', body = {} } = answer(request.headers, content);
      response.writeHead(status, { 'content-type': type }).end(JSON.stringify(body));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterEach(() => {
  server.close();
});

/** What a call answers: the status, and the code of an error. */
async function call(
  method: string,
  path: string,
  body?: unknown,
  headers: object = body === undefined ? HEADERS : JSON_HEADERS,
) {
  const answered = await discord.call(method, path, { ...headers }, body);
  const { code } = answered.body as { code?: number };
  return code === undefined ? answered.status : `${answered.status} ${code}`;
}

const setEndpoint = (address = url) =>
  call('PATCH', '/applications/@me', { interactions_endpoint_url: address });

it('stand-in of Discord: wants a User-Agent of a library, the token of the bot, and the type of a body', async () => {
  const without = (name: keyof typeof HEADERS): object => ({ ...HEADERS, [name]: undefined });
  expect(await call('PUT', roleOf(ANN), undefined, without('user-agent'))).toBe('403 40333');
  const browser = { ...HEADERS, 'user-agent': 'Mozilla/5.0' };
  expect(await call('PUT', roleOf(ANN), undefined, browser)).toBe('403 40333');
  expect(await call('PUT', roleOf(ANN), undefined, without('authorization'))).toBe('401 0');
  const bearer = { ...HEADERS, authorization: `Bearer ${botToken}` };
  expect(await call('PUT', roleOf(ANN), undefined, bearer)).toBe('401 0');
  expect(await call('PUT', COMMANDS, [VERIFY], HEADERS)).toBe('400 50035');
  expect(await call('PUT', roleOf(ANN), undefined, HEADERS)).toBe(204);
  for (const method of ['PUT', 'DELETE'])
    expect(await call(method, roleOf(ANN), undefined, JSON_HEADERS)).toBe('400 50109');
});

it('stand-in of Discord: gives and takes roles below that of the bot, of members only', async () => {
  expect(await call('PUT', roleOf(ANN))).toBe(204);
  expect(await call('PUT', roleOf(ANN))).toBe(204);
  expect(discord.view(ANN).roles).toEqual([roleId]);
  expect(await call('DELETE', roleOf(ANN))).toBe(204);
  expect(discord.view(ANN).roles).toEqual([]);
  expect(await call('PUT', roleOf(ANN, highRoleId))).toBe('403 50013');
  expect(await call('PUT', roleOf(ANN, guildId))).toBe('400 50028');
  expect(await call('PUT', roleOf(ANN, '9'))).toBe('404 10011');
  expect(await call('PUT', roleOf('9'))).toBe('404 10007');
  expect(await call('PUT', roleOf(ANN).replace(guildId, '9'))).toBe('404 10004');
  expect(await call('PUT', '/guilds')).toBe('404 0');
  discord.managesRoles = false;
  expect(await call('DELETE', roleOf(ANN))).toBe('403 50013');
});

it('stand-in of Discord: refuses what is too much with 429, of a route or of all, and says how long to wait', async () => {
  discord.limit(1);
  expect(await discord.call('PUT', roleOf(ANN), HEADERS, undefined)).toMatchObject({
    status: 429,
    body: { message: 'You are being rate limited.', retry_after: 1, global: false },
    headers: { 'retry-after': '1', 'x-ratelimit-scope': 'user', 'x-ratelimit-limit': '10' },
  });
  discord.limit(1, true);
  expect(await discord.call('PUT', roleOf(ANN), HEADERS, undefined)).toMatchObject({
    status: 429,
    body: { global: true },
    headers: { 'retry-after': '1', 'x-ratelimit-scope': 'global', 'x-ratelimit-global': 'true' },
  });
  const answers = await Promise.all(
    Array.from({ length: 11 }, () => discord.call('PUT', roleOf(ANN), HEADERS, undefined)),
  );
  expect(answers.map(({ status }) => status)).toEqual([...Array<number>(10).fill(204), 429]);
  const left = answers.map(({ headers }) => headers?.['x-ratelimit-remaining']);
  expect(left).toEqual(['9', '8', '7', '6', '5', '4', '3', '2', '1', '0', '0']);
  const others = await Promise.all(
    Array.from({ length: 51 }, (_, at) => discord.call('GET', `/nothing/${at}`, HEADERS, undefined)),
  );
  expect(others.at(-1)).toMatchObject({ status: 429, body: { global: true } });
});

it('stand-in of Discord: takes an address only of who answers PING as JSON and refuses forged requests', async () => {
  expect(await setEndpoint('http://bot.example/')).toBe('400 50035');
  answer = () => ({ status: 200, body: { type: 1 } });
  expect(await setEndpoint()).toBe('400 50035');
  answer = (...signed) => ({ ...careful(...signed), type: 'text/plain' });
  expect(await setEndpoint()).toBe('400 50035');
  answer = (...signed) => ({ ...careful(...signed), body: { type: 4 } });
  expect(await setEndpoint()).toBe('400 50035');
  answer = careful;
  expect(await setEndpoint()).toBe(200);
  expect(discord.endpoint).toBe(url);
});

it('stand-in of Discord: takes commands with names in lower case', async () => {
  for (const wrong of [{ name: 'Verify' }, { name: 'a b' }, { name: 'a'.repeat(33) }, { description: '' }])
    expect(await call('PUT', COMMANDS, [{ ...VERIFY, ...wrong }])).toBe('400 50035');
  expect(await call('PUT', COMMANDS, VERIFY)).toBe('400 50035');
  expect(await call('PUT', COMMANDS, [VERIFY])).toBe(200);
});

it('stand-in of Discord: has answers edited after they were given, with 1 to 2,000 characters, and shows those with the flag 64 to one member', async () => {
  await call('PUT', COMMANDS, [VERIFY]);
  await setEndpoint();
  let token = '';
  const edit = (content: string) =>
    call(
      'PATCH',
      `/webhooks/${applicationId}/${token}/messages/@original`,
      { content },
      { ...JSON_HEADERS, authorization: undefined },
    );
  let early: Promise<unknown> = Promise.resolve();
  answer = (...signed) => {
    const answered = careful(...signed);
    if (answered.status === 200) {
      ({ token } = JSON.parse(signed[1]) as { token: string });
      early = edit('too early');
    }
    return answered;
  };
  await discord.type(ANN, 'verify');
  expect(await early).toBe('404 10015');
  expect(await edit('')).toBe('400 50006');
  expect(await edit('a'.repeat(2_001))).toBe('400 50035');
  expect(await edit('hello')).toBe(200);
  expect([discord.view(ANN).messages, discord.view(BEN).messages]).toEqual([['hello'], []]);

  const toAll = { status: 200, body: { type: 4, data: { content: 'to all' } } };
  answer = (...signed) => (careful(...signed).status === 200 ? toAll : { status: 401 });
  await discord.type(ANN, 'verify');
  expect([discord.view(ANN).messages.at(-1), discord.view(BEN).messages]).toEqual(['to all', ['to all']]);
  answer = (...signed) => ({ ...careful(...signed), body: { type: 1 } });
  await discord.type(ANN, 'verify');
  expect(discord.view(ANN).messages.at(-1)).toBe('The application did not respond');
});

it('stand-in of Discord: forgets the address of who takes a forged request', async () => {
  await call('PUT', COMMANDS, [VERIFY]);
  await setEndpoint();
  answer = () => ({ status: 200, body: { type: 5, data: { flags: 64 } } });
  await discord.type(ANN, 'verify');
  expect(discord.endpoint).toBeUndefined();
});
