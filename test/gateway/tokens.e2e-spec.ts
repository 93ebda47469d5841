import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { userIdOf } from '@app/auth';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { Client } from '../support/create-client.js';
import { echoServer, type EchoServer } from '../support/echo-server.js';
import { envelopeOf } from '../support/envelope.js';
import { rawHttp } from '../support/raw-http.js';
import { type GatewayWithTokens, gatewayWithTokens, untilRefused } from './gateway-with-tokens.js';
import { revokeToken } from './revoke-token.js';
import { type Json, TokenMint } from './token-mint.js';

const CHECK = JSON.stringify({
  account: 'So11111111111111111111111111111111111111112',
  rules: [{ type: 'NATIVE', chainId: 1, minToken: '1', roleId: '001' }],
});

describe('tokens', () => {
  let running: GatewayWithTokens;
  let mint: TokenMint;
  let upstream: EchoServer;
  let client: Client;

  beforeAll(async () => {
    upstream = await echoServer();
    running = await gatewayWithTokens({
      rpcUrls: { 1: 'http://127.0.0.1:1' },
      env: { ANALYTICS_URL: upstream.url },
    });
    ({ mint } = running);
    client = await running.suite.createClient({ scopes: ['token-gating', 'community:analytics'] });
    // The first sign of a wallet makes its user.
    expect((await me(ae())).status).toBe(200);
  });

  afterAll(async () => {
    await running.stop();
    await upstream.stop();
  });

  const me = (authorization: string, apiKey?: string) =>
    running.ask('/account/me', {
      Authorization: authorization,
      ...(apiKey === undefined ? {} : { 'X-API-Key': apiKey }),
    });

  const bearer = (more: Json = {}, owner = client) =>
    `Bearer ${mint.bearer(mint.accessClaims(owner.clientId, more))}`;
  const ae = (more: Json = {}, owner = client) => `AE ${mint.aeToken(mint.aeClaims(owner.clientId, more))}`;
  const ethereum = async (owner = client) =>
    `Ethereum ${await mint.credential({ clientId: owner.clientId })}`;

  /** What the last request said to its service about its caller. */
  const principalOf = (headers: Record<string, unknown> | undefined): Json => {
    const [, payload = ''] = String(headers?.['x-gatehouse-principal']).split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { principal: Json };
    return claims.principal;
  };
  const seenByIdentity = () => principalOf(running.front.forwarded.at(-1)?.headers);

  it.each<[string, () => string | Promise<string>]>([
    ['Bearer', () => bearer()],
    ['AE', () => ae()],
    ['Ethereum', () => ethereum()],
  ])(
    '%s opens GET /account/me, with a key and without, and in any case of its name',
    async (_scheme, make) => {
      const authorization = await make();
      const [scheme = '', value = ''] = authorization.split(' ');
      for (const text of [
        authorization,
        `${scheme.toUpperCase()} ${value}`,
        `${scheme.toLowerCase()} ${value}`,
      ]) {
        const alone = await me(text);
        expect(alone.status).toBe(200);
        expect(alone.headers.get('ratelimit-policy')).toMatch(/^"second";q=1000;w=1, "month"/);
        expect((await me(text, client.apiKey)).status).toBe(200);
      }
    },
  );

  it('say who the user is and for which client application', async () => {
    const user = { id: mint.userId, authTime: 1_795_000_000 };
    const named = { id: client.clientId, plan: 'enterprise' };
    await me(bearer({ auth_time: user.authTime, scope: '$public user:read token-gating nonsense' }));
    expect(seenByIdentity()).toMatchObject({
      kind: 'caller',
      client: named,
      user,
      scopes: ['$public', 'user:read', 'token-gating'],
    });
    const signedInAt = Math.floor(Date.now() / 1_000) - 60;
    await me(ae({ iat: signedInAt }));
    const account = `eip155:1:${mint.wallet.address}`;
    expect(seenByIdentity()).toMatchObject({ client: named, user: { account, authTime: signedInAt } });
    await me(await ethereum());
    expect(seenByIdentity()).toMatchObject({
      client: named,
      user: { id: mint.userId, account },
      scopes: ['$public', 'user:read'],
    });
  });

  it('are 401 where a client application speaks and a user is needed', async () => {
    const own = bearer({ sub: `client:${client.clientId}` });
    const refused = await me(own);
    expect([refused.status, (await envelopeOf(refused)).details.code]).toEqual([401, 'user_needed']);
    expect(
      (await analytics(bearer({ sub: `client:${client.clientId}`, scope: 'community:analytics' }))).status,
    ).toBe(200);
    expect(principalOf(upstream.seen.at(-1)?.headers)).not.toHaveProperty('user');
  });

  const analytics = (authorization: string, apiKey?: string) =>
    running.ask('/analytics/c/wallet-connections', {
      Authorization: authorization,
      ...(apiKey === undefined ? {} : { 'X-API-Key': apiKey }),
    });

  const checkRoles = (headers: Record<string, string>) =>
    fetch(`${running.gateway.url}/access-control/check-roles`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: CHECK,
    });

  it('open what token and client application both have, and nothing else', async () => {
    const unapproved = await running.suite.createClient({ scopes: ['user:read'] });
    const scope = '$public token-gating community:analytics';
    expect((await checkRoles({ 'X-API-Key': client.apiKey })).status).toBe(200);
    expect((await checkRoles({ Authorization: await ethereum() })).status).toBe(403);
    expect((await checkRoles({ Authorization: bearer() })).status).toBe(403);
    // With a key beside it, it is still the token that says what its user granted.
    expect((await checkRoles({ Authorization: bearer(), 'X-API-Key': client.apiKey })).status).toBe(403);
    expect((await checkRoles({ Authorization: bearer({ scope }) })).status).toBe(200);
    expect((await checkRoles({ Authorization: ae({ scope }) })).status).toBe(200);
    const lent = await checkRoles({ Authorization: bearer({ scope }, unapproved) });
    expect([lent.status, (await envelopeOf(lent)).details]).toMatchObject([
      403,
      { code: 'missing_scope', scope: 'token-gating' },
    ]);
    expect((await analytics(ae({ scope }, unapproved))).status).toBe(403);
    expect((await analytics(ae({ scope }))).status).toBe(200);
  });

  it('of another client application than the key’s are 401', async () => {
    const other = await running.suite.createClient();
    const tokens = [bearer({}, other), ae({}, other), await ethereum(other)];
    for (const token of tokens) {
      expect((await me(token)).status).toBe(200);
      expect((await me(token, client.apiKey)).status).toBe(401);
      expect((await me(token, other.apiKey)).status).toBe(200);
    }
  });

  it('do not excuse a bad key, nor a key a bad token', async () => {
    const token = bearer();
    expect((await me(token)).status).toBe(200);
    expect((await me(token, client.apiKey.slice(0, -1))).status).toBe(401);
    expect((await checkRoles({ Authorization: `${token}x`, 'X-API-Key': client.apiKey })).status).toBe(401);
  });

  it('come once: of two Authorization headers neither is believed', async () => {
    const token = bearer();
    expect((await me(token)).status).toBe(200);
    const twice = (one: string, two: string) =>
      rawHttp(
        running.gateway.url,
        `GET /account/me HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: ${one}\r\nauthorization: ${two}\r\n\r\n`,
      );
    expect((await twice(token, token)).statuses).toEqual([401]);
    expect((await twice(token, 'Bearer x')).statuses).toEqual([401]);
  });

  it('die within five seconds when they are revoked, whichever text they come in', async () => {
    const jti = randomUUID();
    const claims = mint.accessClaims(client.clientId, { jti });
    const credential = await mint.credential({ clientId: client.clientId });
    const doomed: [string, string][] = [
      [`Bearer ${mint.bearer(claims)}`, jti],
      [ae({ jti: 'ae-1' }), 'ae-1'],
      [`Ethereum ${credential}`, nonceIn(credential)],
    ];
    for (const [authorization, id] of doomed) {
      expect((await me(authorization)).status).toBe(200);
      await revokeToken(running.suite.databaseUrl, id);
      expect(await untilRefused(() => me(authorization))).toBeLessThan(5_000);
      expect((await me(authorization, client.apiKey)).status).toBe(401);
    }
    // The same in another text: signed again, or with the parity of the signature spelled otherwise.
    expect((await me(`Bearer ${mint.bearer(claims)}`)).status).toBe(401);
    expect((await me(`Ethereum ${otherParity(credential)}`)).status).toBe(401);
    const alive = await mint.credential({ clientId: client.clientId });
    expect((await me(`Ethereum ${otherParity(alive)}`)).status).toBe(200);
    expect((await me(bearer())).status).toBe(200);
  });

  const otherParity = (credential: string): string =>
    credential.replace(/1[bc]$/, (parity) => (parity === '1b' ? '00' : '01'));

  const nonceIn = (credential: string): string => {
    const text = Buffer.from(credential.split('.')[0] ?? '', 'base64url').toString();
    return /^Nonce: (\w+)$/m.exec(text)?.[1] ?? '';
  };

  it('that were revoked before a gateway started are dead there too', async () => {
    const token = bearer({ jti: 'revoked-early' });
    await revokeToken(running.suite.databaseUrl, 'revoked-early', 'long ago');
    const late = await running.suite.another('gateway', { IDENTITY_URL: running.front.url });
    expect(running.front.asked).toContain('GET /internal/credentials/revoked-tokens');
    const response = await fetch(`${late.url}/account/me`, { headers: { Authorization: token } });
    expect(response.status).toBe(401);
    await late.stop();
  });

  it('die with their client application, and lose what it loses', async () => {
    const doomed = await running.suite.createClient({ scopes: ['community:analytics'] });
    const token = bearer({ scope: '$public community:analytics' }, doomed);
    expect((await analytics(token)).status).toBe(200);
    await running.suite.clientCommand(['set-scopes', doomed.clientId, '--scopes', 'user:read']);
    let status = 200;
    while (status === 200) ({ status } = await analytics(token));
    expect(status).toBe(403);
    expect((await me(token)).status).toBe(200);
    await running.suite.clientCommand(['remove', doomed.clientId]);
    expect(await untilRefused(() => me(token))).toBeLessThan(5_000);
  });

  it('of a contract account count on its chain, and its nodes are asked no more than once a minute', async () => {
    const owner = privateKeyToAccount(generatePrivateKey());
    const message = { address: mint.wallet.address, chainId: 10 };
    const make = () => mint.credential({ clientId: client.clientId, wallet: owner, message });
    running.front.contracts = 'valid';
    const token = `Ethereum ${await make()}`;
    const before = questions();
    expect((await me(token)).status).toBe(200);
    const account = `eip155:10:${mint.wallet.address}`;
    expect(seenByIdentity()).toMatchObject({
      user: { id: userIdOf('ethereum', account.toLowerCase()), account },
    });
    expect((await me(token, client.apiKey)).status).toBe(200);
    expect(questions() - before).toBe(1);

    running.front.contracts = 'invalid';
    const refused = `Ethereum ${await make()}`;
    for (let attempt = 0; attempt < 3; attempt += 1) expect((await me(refused)).status).toBe(401);
    expect(questions() - before).toBe(2);

    running.front.contracts = 'away';
    const unknown = await me(`Ethereum ${await make()}`);
    expect([unknown.status, unknown.headers.get('retry-after')]).toEqual([503, '2']);
    running.front.contracts = 'ask identity';
  });

  const questions = () =>
    running.front.asked.filter((path) => path === 'POST /internal/ethereum-credentials').length;

  it('that were seen before cost no question', async () => {
    const tokens = [bearer(), ae(), await ethereum()];
    for (const token of tokens) expect((await me(token)).status).toBe(200);
    const isQuestion = (path: string) =>
      /client-plans|ethereum-credentials|POST .internal.credentials/.test(path);
    const before = running.front.asked.filter(isQuestion).length;
    for (const token of tokens) expect((await me(token)).status).toBe(200);
    expect(running.front.asked.filter(isQuestion)).toHaveLength(before);
  });

  it('with unknown keys make the gateway look for keys, but not each of them', async () => {
    const looks = () => running.front.asked.filter((path) => path === 'GET /internal/token-keys').length;
    const since = Date.now();
    const before = looks();
    for (let attempt = 0; attempt < 60; attempt += 1) {
      const kid = `unknown-${String(attempt)}`;
      expect((await me(`Bearer ${mint.bearer(mint.accessClaims(client.clientId), { kid })}`)).status).toBe(
        401,
      );
    }
    // One a second for them, and those that happen anyway.
    const seconds = Math.ceil((Date.now() - since) / 1_000);
    expect(looks() - before).toBeGreaterThanOrEqual(1);
    expect(looks() - before).toBeLessThanOrEqual(2 * seconds + 1);
  });

  it('of a key that is new are found at once', async () => {
    const next = new TokenMint(mint.publicUrl);
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    running.front.keys = {
      access: [...mint.keys.access, ...next.keys.access],
      ae: [...mint.keys.ae, ...next.keys.ae],
      nonce: [...mint.keys.nonce, ...next.keys.nonce],
    };
    expect((await me(`AE ${next.aeToken(next.aeClaims(client.clientId))}`)).status).toBe(200);
    expect((await me(`Bearer ${next.bearer(next.accessClaims(client.clientId))}`)).status).toBe(200);
    const token = `AE ${next.aeToken(next.aeClaims(client.clientId))}`;
    expect((await me(token)).status).toBe(200);
    // A key that is taken away takes with it what it proved.
    running.front.keys = mint.keys;
    expect(await untilRefused(() => me(token))).toBeLessThan(5_000);
  });

  it('are on record in no log', () => {
    const log = [running.gateway, running.suite.app('identity')]
      .flatMap(({ logLines }) => logLines)
      .join('\n');
    expect(log).toMatch(/"operation":"AccountController.getUserProfile"/);
    expect(log).not.toMatch(/eyJ[\w-]{20}/);
  });
});
