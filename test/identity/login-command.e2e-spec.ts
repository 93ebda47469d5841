import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { beforeAll, beforeEach, afterEach, expect, it } from '@jest/globals';
import { CommandLineTool, createTool } from './command-line-tool.js';
import { until } from '../support/until.js';
import { OAuthWorld } from './oauth-world.js';

let world: OAuthWorld;
let clientId: string;
let tool: CommandLineTool;

beforeAll(async () => {
  world = await OAuthWorld.lease();
  clientId = await createTool(world);
});

beforeEach(async () => {
  tool = new CommandLineTool(world, clientId, await world.user());
});

afterEach(() => {
  tool.remove();
});

const statusOf = async (url: URL): Promise<number> => {
  const response = await fetch(url);
  await response.text();
  return response.status;
};

it('client login: signs in by a port of this machine, and keeps a session that only its user may read', async () => {
  const { address, result } = await tool.beginLogin();
  expect(address.searchParams.get('code_challenge_method')).toBe('S256');
  expect(address.searchParams.get('redirect_uri')).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  const page = await fetch(await tool.decide(address));
  expect(page.status).toBe(200);
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(await page.text()).toContain('You are signed in');
  const { code, stdout } = await result;
  expect(code).toBe(0);
  const { accessToken, refreshToken = '' } = tool.session;
  expect(await world.me(accessToken)).toBe(200);
  expect(refreshToken).not.toBe('');
  expect(stdout).not.toContain(accessToken);
  expect(stdout).not.toContain(refreshToken);
  expect(statSync(tool.sessionFile).mode & 0o777).toBe(0o600);
});

it('client logout: ends the tokens, and deletes them', async () => {
  await tool.logIn();
  const { accessToken } = tool.session;
  expect((await tool.run(['logout'])).code).toBe(0);
  expect(() => tool.session).toThrow('Nobody is signed in');
  await until('the token has ended', async () => (await world.me(accessToken)) === 401);
  const again = await tool.run(['logout', '--json']);
  expect([again.code, JSON.parse(again.stdout)]).toEqual([0, { url: world.origin, wasSignedIn: false }]);
});

it('client logout: forgets the session also where the deployment does not end it, and says where to', async () => {
  await tool.logIn();
  const { sessions } = JSON.parse(readFileSync(tool.sessionFile, 'utf8')) as { sessions: object };
  const unreachable = 'http://127.0.0.1:1';
  const [session] = Object.values(sessions) as unknown[];
  writeFileSync(tool.sessionFile, JSON.stringify({ sessions: { [unreachable]: session } }), { mode: 0o600 });
  const { code, stdout } = await tool.run(['logout', '--url', unreachable]);
  expect([code, stdout]).toEqual([1, expect.stringContaining(`${unreachable}/portal/connections`)]);
  expect(JSON.parse(readFileSync(tool.sessionFile, 'utf8'))).toEqual({ sessions: {} });
});

it('client login: a second one ends the session of the first', async () => {
  await tool.logIn();
  const first = tool.session;
  await tool.logIn();
  await until('the first token has ended', async () => (await world.me(first.accessToken)) === 401);
  expect(await world.me(tool.session.accessToken)).toBe(200);
  tool.session = { ...tool.session, expiresAt: 0 };
  expect((await tool.apply({})).code).toBe(0);
});

it('T430: client login: an answer with a wrong state, or none, is refused and ends nothing', async () => {
  const { address, result } = await tool.beginLogin();
  const redirectUri = address.searchParams.get('redirect_uri') ?? '';
  for (const query of ['', '?code=stolen', '?code=stolen&state=guess', '?error=access_denied&state=guess'])
    expect(await statusOf(new URL(redirectUri + query))).toBe(400);
  expect(await statusOf(new URL('/elsewhere', redirectUri))).toBe(404);
  expect((await fetch(redirectUri, { method: 'POST' })).status).toBe(404);
  expect(await statusOf(await tool.decide(address))).toBe(200);
  expect((await result).code).toBe(0);
});

it('T431: client login: the answer is taken once, and the port is closed afterwards', async () => {
  const { address, result } = await tool.beginLogin();
  const answer = await tool.decide(address);
  const statuses = await Promise.all([1, 2, 3].map(() => statusOf(answer).catch(() => 'closed' as const)));
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  expect((await result).code).toBe(0);
  await expect(statusOf(answer)).rejects.toThrow();
});

it('T431: client login: ends although a connection that sent nothing is open', async () => {
  const { address, result } = await tool.beginLogin();
  const port = Number(new URL(address.searchParams.get('redirect_uri') ?? '').port);
  const socket = connect(port, '127.0.0.1');
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await new Promise((resolve) => socket.once('connect', resolve));
  expect(await statusOf(await tool.decide(address))).toBe(200);
  expect((await result).code).toBe(0);
  await closed;
});

it('T431: client login: ends by itself where nobody signs in', async () => {
  const { result } = await tool.beginLogin(['--timeout-seconds', '1']);
  const { code, stderr } = await result;
  expect([code, stderr]).toEqual([1, expect.stringContaining('in time')]);
});

it('client login: says so when the user refuses, and keeps nothing', async () => {
  const { address, result } = await tool.beginLogin();
  expect(await statusOf(await tool.decide(address, 'deny'))).toBe(400);
  const { code, stderr } = await result;
  expect([code, stderr]).toEqual([1, expect.stringContaining('You refused')]);
  expect(() => tool.session).toThrow();
});

it('client login: a code of another sign-in is not taken', async () => {
  const other = await tool.beginLogin();
  const stolen = (await tool.decide(other.address)).searchParams.get('code') ?? '';
  const { address, result } = await tool.beginLogin();
  const forged = new URL(address.searchParams.get('redirect_uri') ?? '');
  forged.search = new URLSearchParams({
    code: stolen,
    state: address.searchParams.get('state') ?? '',
  }).toString();
  expect(await statusOf(forged)).toBe(400);
  expect((await result).code).toBe(1);
  other.child.kill();
  await other.result;
});

it('client login: names the scopes that the user leaves out', async () => {
  const { address, result } = await tool.beginLogin();
  expect(await statusOf(await tool.decide(address, 'grant', ['community:write']))).toBe(200);
  expect((await result).stdout).toContain('You did not allow: community:write');
});

it('T432: client: runs at the same time exchange the refresh token once, and the session goes on', async () => {
  await tool.logIn();
  const before = tool.session;
  tool.session = { ...before, expiresAt: 0 };
  const runs = await Promise.all([1, 2, 3].map(() => tool.apply({})));
  expect(runs.map(({ code }) => code)).toEqual([0, 0, 0]);
  expect(tool.session.refreshToken).not.toBe(before.refreshToken);
  tool.session = { ...tool.session, expiresAt: 0 };
  expect((await tool.apply({})).code).toBe(0);
});

it.each([
  [['login', '--url', 'http://gatehouse.example'], 64, 'https://'],
  [['login', '--url', 'https://gatehouse.example/path'], 64, 'without a path'],
  [['login', '--port', '0'], 64, '--port'],
  [['login', 'me'], 64, 'one argument too many'],
  [['apply'], 64, '--file: is missing'],
  [['apply', '-f', 'missing.yaml'], 65, 'cannot be read'],
])('client: %j exits with %i and says %j', async (args, code, message) => {
  const result = await tool.run(args);
  expect([result.code, result.stderr]).toEqual([code, expect.stringContaining(message)]);
});
