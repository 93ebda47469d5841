import { createHash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import {
  AuthorizationError,
  createAuthorizationRequest,
  createClient,
  createTokenSource,
  exchangeCode,
  type OAuthTokens,
  readAuthorizationCode,
  refreshTokens,
  request,
} from '../../clients/typescript/src/index.js';

const baseUrl = 'https://api.example';
const APPLICATION = { clientId: 'client_1' };

describe('createAuthorizationRequest', () => {
  it('createAuthorizationRequest: has a new verifier and state each time, and the challenge of the verifier', async () => {
    const options = {
      ...APPLICATION,
      redirectUri: 'https://shop.example/cb',
      scopes: ['user:read', 'openid'],
    };
    const [one, other] = [
      await createAuthorizationRequest({ baseUrl }, options),
      await createAuthorizationRequest(
        { baseUrl },
        { ...options, parameters: { prompt: 'login', state: 'x' } },
      ),
    ];
    expect(one.codeVerifier).toMatch(/^[\w-]{43}$/);
    expect(new Set([one.codeVerifier, one.state, other.codeVerifier, other.state]).size).toBe(4);
    const query = new URL(one.url).searchParams;
    expect(Object.fromEntries(query)).toEqual({
      response_type: 'code',
      client_id: 'client_1',
      redirect_uri: 'https://shop.example/cb',
      scope: 'user:read openid',
      state: one.state,
      code_challenge: createHash('sha256').update(one.codeVerifier).digest('base64url'),
      code_challenge_method: 'S256',
    });
    expect(new URL(other.url).searchParams.getAll('state')).toEqual([other.state]);
    expect(new URL(other.url).searchParams.get('prompt')).toBe('login');
  });

  it('readAuthorizationCode: takes a code only with the state of the request, and says what was refused', () => {
    const read = (query: string) => readAuthorizationCode(`https://shop.example/cb?${query}`, 's1');
    expect(read('code=c1&state=s1')).toBe('c1');
    const codes = ['code=c1', 'code=c1&state=s2', 'error=access_denied&state=s1', 'state=s1'].map((query) => {
      try {
        return read(query);
      } catch (error) {
        return error instanceof AuthorizationError ? error.code : error;
      }
    });
    expect(codes).toEqual(['state_mismatch', 'state_mismatch', 'access_denied', 'code_missing']);
  });
});

/** A deployment that gives `token 2`, `token 3`… for refresh tokens, each of which it takes once. */
function deployment(failures = 0) {
  const used: string[] = [];
  const authorizations: (string | null)[] = [];
  const answer = (body: unknown, status = 200): Response =>
    new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
  const fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    await turn();
    const url = input instanceof Request ? input.url : String(input);
    if (url.endsWith('/oauth2/token')) {
      const refreshToken = (init?.body as URLSearchParams).get('refresh_token') ?? '';
      used.push(refreshToken);
      if (used.length <= failures) throw new TypeError('fetch failed');
      const next = Number(refreshToken.split(' ')[1]) + 1;
      const tokens = { access_token: `token ${String(next)}`, refresh_token: `refresh ${String(next)}` };
      return answer({ ...tokens, token_type: 'Bearer', expires_in: 600, scope: 'user:read' });
    }
    const authorization = new Headers(init?.headers).get('authorization');
    authorizations.push(authorization);
    return authorization === 'Bearer token 1' ? answer({ error: {} }, 401) : answer({ id: 'user_1' });
  };
  return { fetch, used, authorizations };
}

const tokensAt = (expiresAt: number): OAuthTokens => ({
  accessToken: 'token 1',
  expiresAt,
  scopes: [],
  refreshToken: 'refresh 1',
});

function signedIn(server: ReturnType<typeof deployment>, expiresAt: number) {
  const stored = { tokens: tokensAt(expiresAt) };
  const options = { baseUrl, fetch: server.fetch };
  const store = {
    load: () => stored.tokens,
    save: (tokens: OAuthTokens) => {
      stored.tokens = tokens;
    },
  };
  const accessToken = createTokenSource(createClient(options), { ...APPLICATION, store });
  return { client: createClient({ ...options, accessToken }), stored };
}

describe('createTokenSource', () => {
  const HOUR_MS = 3_600_000;

  it('T403: createTokenSource: refreshes once for all callers whose token has ended', async () => {
    const server = deployment();
    const { client, stored } = signedIn(server, Date.now() - 1);
    await Promise.all(Array.from({ length: 20 }, () => request(client, 'GET /account/me')));
    expect(server.used).toEqual(['refresh 1']);
    expect(new Set(server.authorizations)).toEqual(new Set(['Bearer token 2']));
    expect(stored.tokens).toMatchObject({ accessToken: 'token 2', refreshToken: 'refresh 2' });
  });

  it('T403: createTokenSource: refreshes once for all callers whose token was refused before its end', async () => {
    const server = deployment();
    const { client } = signedIn(server, Date.now() + HOUR_MS);
    await Promise.all(Array.from({ length: 20 }, () => request(client, 'GET /account/me')));
    expect(server.used).toEqual(['refresh 1']);
    expect(server.authorizations.slice(-20).every((one) => one === 'Bearer token 2')).toBe(true);
  });

  it('createTokenSource: takes what another tab has stored meanwhile, and refreshes nothing', async () => {
    const server = deployment();
    const { client, stored } = signedIn(server, Date.now() + HOUR_MS);
    const asked = request(client, 'GET /account/me');
    stored.tokens = { ...tokensAt(Date.now() + HOUR_MS), accessToken: 'token 9' };
    await asked;
    expect(server.used).toEqual([]);
    expect(server.authorizations.at(-1)).toBe('Bearer token 9');
  });

  it('T403: refreshTokens: never sends the token of a public application twice, and repeats that of one with a secret', async () => {
    const open = deployment(1);
    const retry = { baseDelayMs: 1 };
    const client = createClient({ baseUrl, fetch: open.fetch, retry });
    await expect(refreshTokens(client, APPLICATION, 'refresh 1')).rejects.toThrow();
    expect(open.used).toEqual(['refresh 1']);
    const withSecret = deployment(1);
    const other = createClient({ baseUrl, fetch: withSecret.fetch, retry });
    const tokens = await refreshTokens(other, { ...APPLICATION, clientSecret: 's' }, 'refresh 1');
    expect([withSecret.used, tokens.accessToken]).toEqual([['refresh 1', 'refresh 1'], 'token 2']);
  });

  it('exchangeCode: sends a code once', async () => {
    const server = deployment(1);
    const client = createClient({ baseUrl, fetch: server.fetch, retry: { baseDelayMs: 1 } });
    const proof = { code: 'c', codeVerifier: 'v' };
    await expect(exchangeCode(client, { ...APPLICATION, redirectUri: 'https://x' }, proof)).rejects.toThrow();
    expect(server.used).toHaveLength(1);
  });
});
