import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from '../support/create-client.js';
import type { EchoServer } from '../support/echo-server.js';
import { envelopeOf } from '../support/envelope.js';
import { principalTokenIn } from '../support/principal-token-in.js';
import { rawHttp } from '../support/raw-http.js';
import { type LeasedGatewayWithTokens, leaseGatewayWithTokens } from './gateway-with-tokens.js';
import { PresentedTokens } from './presented-tokens.js';
import type { TokenFactory } from './token-factory.js';

const CHECK = JSON.stringify({
  account: 'So11111111111111111111111111111111111111112',
  rules: [{ type: 'NATIVE', chainId: 1, minToken: '1', roleId: '001' }],
});

describe('tokens', () => {
  let running: LeasedGatewayWithTokens;
  let mint: TokenFactory;
  let upstream: EchoServer;
  let client: Client;
  let tokens: PresentedTokens;

  beforeAll(async () => {
    running = await leaseGatewayWithTokens();
    ({ mint, upstream } = running);
    client = await running.suite.createClient({ scopes: ['token-gating', 'community:analytics'] });
    tokens = new PresentedTokens(running, client);
    // The first login of a wallet creates its user.
    expect((await tokens.me(tokens.ae())).status).toBe(200);
  });

  const seenByIdentity = () => principalTokenIn(running.identityProxy.forwarded.at(-1)?.headers).principal;

  it.each<[string, () => string | Promise<string>]>([
    ['Bearer', () => tokens.bearer()],
    ['AE', () => tokens.ae()],
    ['Ethereum', () => tokens.ethereum()],
  ])(
    'GET /account/me: accepts %s, with a key and without, and with its name in any case',
    async (_scheme, make) => {
      const authorization = await make();
      const [scheme = '', value = ''] = authorization.split(' ');
      for (const text of [
        authorization,
        `${scheme.toUpperCase()} ${value}`,
        `${scheme.toLowerCase()} ${value}`,
      ]) {
        const alone = await tokens.me(text);
        expect(alone.status).toBe(200);
        expect(alone.headers.get('ratelimit-policy')).toMatch(/^"second";q=1000;w=1, "month"/);
        expect((await tokens.me(text, client.apiKey)).status).toBe(200);
      }
    },
  );

  it('BearerStrategy: accepts a token whose header names the login methods as critical', async () => {
    const header = { crit: ['amr'], amr: ['pop', 'user'] };
    const claims = mint.accessClaims(client.clientId, { amr: header.amr });
    expect((await tokens.me(`Bearer ${mint.bearer(claims, header)}`)).status).toBe(200);
    expect(seenByIdentity()).toMatchObject({ user: { amr: header.amr } });
  });

  it('access tokens: identify user and client application', async () => {
    const user = {
      id: mint.userId,
      authTime: 1_795_000_000,
      amr: ['pop', 'user'],
      tokenIssuedAt: expect.any(Number),
    };
    const named = { id: client.clientId, plan: 'enterprise' };
    await tokens.me(
      tokens.bearer({
        auth_time: user.authTime,
        amr: user.amr,
        scope: '$public user:read token-gating nonsense',
      }),
    );
    expect(seenByIdentity()).toMatchObject({
      kind: 'caller',
      client: named,
      user,
      scopes: ['$public', 'user:read', 'token-gating'],
    });
    const signedInAt = Math.floor(Date.now() / 1_000) - 60;
    await tokens.me(tokens.ae({ iat: signedInAt }));
    const account = `eip155:1:${mint.wallet.address}`;
    expect(seenByIdentity()).toMatchObject({ client: named, user: { account, authTime: signedInAt } });
    await tokens.me(await tokens.ethereum());
    expect(seenByIdentity()).toMatchObject({
      client: named,
      user: { id: mint.userId, account },
      scopes: ['$public', 'user:read'],
    });
  });

  it('GET /account/me: answers 401 to tokens of client applications', async () => {
    const own = tokens.bearer({ sub: `client:${client.clientId}` });
    const rejected = await tokens.me(own);
    expect([rejected.status, (await envelopeOf(rejected)).details.code]).toEqual([401, 'user_required']);
    expect(
      (await analytics(tokens.bearer({ sub: `client:${client.clientId}`, scope: 'community:analytics' })))
        .status,
    ).toBe(200);
    expect(principalTokenIn(upstream.seen.at(-1)?.headers).principal).not.toHaveProperty('user');
  });

  const analytics = (authorization: string) => tokens.ask('/analytics/c/wallet-connections', authorization);

  const checkRoles = (headers: Record<string, string>) =>
    fetch(`${running.gateway.url}/access-control/check-roles`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: CHECK,
    });

  it('access tokens: allow the scopes that both token and client application have', async () => {
    const unapproved = await running.suite.createClient({ scopes: ['user:read'] });
    const scope = '$public token-gating community:analytics';
    expect((await checkRoles({ 'X-API-Key': client.apiKey })).status).toBe(200);
    expect((await checkRoles({ Authorization: await tokens.ethereum() })).status).toBe(403);
    expect((await checkRoles({ Authorization: tokens.bearer() })).status).toBe(403);
    // The scopes of the token still apply beside an API key.
    expect((await checkRoles({ Authorization: tokens.bearer(), 'X-API-Key': client.apiKey })).status).toBe(
      403,
    );
    expect((await checkRoles({ Authorization: tokens.bearer({ scope }) })).status).toBe(200);
    expect((await checkRoles({ Authorization: tokens.ae({ scope }) })).status).toBe(200);
    const lent = await checkRoles({ Authorization: tokens.bearer({ scope }, unapproved) });
    expect([lent.status, (await envelopeOf(lent)).details]).toMatchObject([
      403,
      { code: 'scope_required', scope: 'token-gating' },
    ]);
    expect((await analytics(tokens.ae({ scope }, unapproved))).status).toBe(403);
    expect((await analytics(tokens.ae({ scope }))).status).toBe(200);
  });

  it('access tokens: get 401 beside an API key of another client application', async () => {
    const other = await running.suite.createClient();
    const all = [tokens.bearer({}, other), tokens.ae({}, other), await tokens.ethereum(other)];
    for (const token of all) {
      expect((await tokens.me(token)).status).toBe(200);
      expect((await tokens.me(token, client.apiKey)).status).toBe(401);
      expect((await tokens.me(token, other.apiKey)).status).toBe(200);
    }
  });

  it('access tokens: are rejected beside an invalid API key, as is a key beside an invalid token', async () => {
    const token = tokens.bearer();
    expect((await tokens.me(token)).status).toBe(200);
    expect((await tokens.me(token, client.apiKey.slice(0, -1))).status).toBe(401);
    expect((await checkRoles({ Authorization: `${token}x`, 'X-API-Key': client.apiKey })).status).toBe(401);
  });

  it('access tokens: are rejected in two Authorization headers', async () => {
    const token = tokens.bearer();
    expect((await tokens.me(token)).status).toBe(200);
    const twice = (one: string, two: string) =>
      rawHttp(
        running.gateway.url,
        `GET /account/me HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: ${one}\r\nauthorization: ${two}\r\n\r\n`,
      );
    expect((await twice(token, token)).statuses).toEqual([401]);
    expect((await twice(token, 'Bearer x')).statuses).toEqual([401]);
  });
});
