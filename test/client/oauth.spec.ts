import { createHash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, jest } from '@jest/globals';
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
    const lost = null as unknown as string;
    for (const state of [lost, ''])
      expect(() => readAuthorizationCode(`https://shop.example/cb?code=c1&state=${state}`, state)).toThrow(
        'begin again',
      );
    expect(() => readAuthorizationCode('https://shop.example/cb?code=c1', lost)).toThrow('begin again');
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

function signedIn(
  server: ReturnType<typeof deployment>,
  expiresAt: number,
  stored = { tokens: tokensAt(expiresAt) },
  lockName?: string,
) {
  const options = { baseUrl, fetch: server.fetch };
  const store = {
    load: () => stored.tokens,
    save: (tokens: OAuthTokens) => {
      stored.tokens = tokens;
    },
  };
  const accessToken = createTokenSource(createClient(options), { ...APPLICATION, store, lockName });
  return { client: createClient({ ...options, accessToken }), accessToken, stored };
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

  it('T403: createTokenSource: never sends a token of a public application again whose outcome is unknown, and uses the old access token to its end', async () => {
    const server = deployment(1);
    const { accessToken, stored } = signedIn(server, Date.now() + 10_000);
    expect(await accessToken.getAccessToken()).toBe('token 1');
    expect(await accessToken.getAccessToken()).toBe('token 1');
    stored.tokens = { ...stored.tokens, expiresAt: Date.now() - 1 };
    for (const source of [accessToken, signedIn(server, 0, stored).accessToken])
      await expect(source.getAccessToken()).rejects.toMatchObject({ code: 'login_required' });
    await expect(accessToken.renewAccessToken('token 1')).rejects.toMatchObject({ code: 'login_required' });
    expect(server.used).toEqual(['refresh 1']);
    expect(JSON.stringify(stored)).not.toContain('refresh 1');
  });

  it('T403: createTokenSource: marks the token of a public application as used before it is sent, and keeps one that was not carried out', async () => {
    const seen: OAuthTokens[] = [];
    const refusing = (status: number, code: string) => {
      const body = JSON.stringify({ error: code });
      const server = deployment();
      const fetch = (): Promise<Response> => {
        seen.push(stored.tokens);
        return Promise.resolve(
          new Response(body, { status, headers: { 'content-type': 'application/json' } }),
        );
      };
      const { accessToken, stored } = signedIn({ ...server, fetch }, 0);
      return { accessToken, stored };
    };
    const limited = refusing(400, 'invalid_client');
    await expect(limited.accessToken.getAccessToken()).rejects.toMatchObject({ code: 'invalid_client' });
    expect(seen[0]).toMatchObject({ isLoginRequired: true });
    expect(limited.stored.tokens.refreshToken).toBe('refresh 1');
    const refused = refusing(400, 'invalid_grant');
    for (let at = 0; at < 2; at += 1)
      await expect(refused.accessToken.getAccessToken()).rejects.toMatchObject({ code: 'login_required' });
    expect(seen).toHaveLength(2);
  });

  it('T403: refreshTokens: repeats the token of a confidential application no later than eight seconds after it was first sent', async () => {
    const used: number[] = [];
    const start = Date.now();
    let passed = 0;
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => start + passed);
    try {
      const fetch = (): Promise<Response> => {
        used.push(passed);
        passed += 3_000;
        return Promise.reject(new TypeError('fetch failed'));
      };
      const client = createClient({ baseUrl, fetch, retry: { attempts: 20, baseDelayMs: 1 } });
      await expect(refreshTokens(client, { ...APPLICATION, clientSecret: 's' }, 'r')).rejects.toThrow();
      expect(used).toEqual([0, 3_000, 6_000]);
    } finally {
      clock.mockRestore();
    }
  });

  it('createTokenSource: takes the lock that it is given, and none of its own outside pages', async () => {
    const names: string[] = [];
    const locks = {
      request: <T>(name: string, work: () => Promise<T>): Promise<T> => {
        names.push(name);
        return work();
      },
    };
    const own = Object.getOwnPropertyDescriptor(globalThis, 'navigator');
    Object.defineProperty(globalThis, 'navigator', { value: { locks }, configurable: true });
    try {
      await signedIn(deployment(), 0).accessToken.getAccessToken();
      await signedIn(deployment(), 0, undefined, 'user 1').accessToken.getAccessToken();
      expect(names).toEqual(['user 1']);
    } finally {
      Object.defineProperty(globalThis, 'navigator', own ?? { value: undefined, configurable: true });
    }
  });

  it('T401: createTokenSource: refuses a client secret where visitors of a page can read it', async () => {
    const globals = globalThis as { document?: unknown };
    globals.document = {};
    try {
      const client = createClient({ baseUrl, fetch: deployment().fetch });
      const application = { ...APPLICATION, clientSecret: 's' };
      const store = { load: () => undefined, save: () => undefined };
      expect(() => createTokenSource(client, { ...application, store })).toThrow('client secret');
      await expect(refreshTokens(client, application, 'refresh 1')).rejects.toThrow('client secret');
    } finally {
      delete globals.document;
    }
  });

  it('exchangeCode: sends a code once', async () => {
    const server = deployment(1);
    const client = createClient({ baseUrl, fetch: server.fetch, retry: { baseDelayMs: 1 } });
    const proof = { code: 'c', codeVerifier: 'v' };
    await expect(exchangeCode(client, { ...APPLICATION, redirectUri: 'https://x' }, proof)).rejects.toThrow();
    expect(server.used).toHaveLength(1);
    const lost = { code: 'c', codeVerifier: '' };
    await expect(exchangeCode(client, { ...APPLICATION, redirectUri: 'https://x' }, lost)).rejects.toThrow(
      'begin again',
    );
  });
});
