import { afterEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { loadOpenApiDocument } from '@app/openapi';
import {
  checkRoles,
  checkRolesAsync,
  type Client,
  type ClientOptions,
  ConnectionError,
  createClient,
  GatehouseError,
  paginate,
  readRole,
  request,
  waitForRoles,
} from '../../clients/typescript/src/index.js';
import { fillPath } from '../../clients/typescript/src/request.js';

type Reply = Response | Error | ((url: string, init: RequestInit) => Response | Promise<Response>);
interface Sent {
  url: string;
  method: string;
  headers: Headers;
  body: unknown;
  init: RequestInit;
}

const FAST = { baseDelayMs: 1, maxDelayMs: 20 };

/** A client whose requests get these answers, in order. */
function clientWith(
  replies: Reply[],
  options: Partial<ClientOptions> = {},
): { client: Client; sent: Sent[] } {
  const sent: Sent[] = [];
  const fetch = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const url = input instanceof Request ? input.url : String(input);
    const { method = '', headers, body } = init;
    sent.push({ url, method, headers: new Headers(headers), body, init });
    const reply = replies[sent.length - 1] ?? replies.at(-1);
    if (reply instanceof Error) throw reply;
    if (typeof reply === 'function') return reply(url, init);
    return (reply ?? new Response(null, { status: 500 })).clone();
  };
  return {
    client: createClient({ baseUrl: 'https://api.example/', retry: FAST, fetch, ...options }),
    sent,
  };
}

const json = (body: unknown, status = 200, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } });

const refusal = (status: number, code: string, headers: Record<string, string> = {}): Response => {
  const details = { requestId: 'req_1', code, issues: [{ path: 'rules.0', message: 'is wrong' }] };
  return json(
    { error: { name: 'E', message: 'No.', statusCode: status, details, stack: '' } },
    status,
    headers,
  );
};

const CHECK = {
  account: '0x1111111111111111111111111111111111111111',
  rules: [{ type: 'NATIVE' as const, chainId: 1, roleId: 'a' }],
};
const ROLES = { roles: [{ id: 'a', granted: true }] };

describe('createClient', () => {
  const globals = globalThis as { document?: unknown; importScripts?: unknown };
  const navigatorOfNode = Object.getOwnPropertyDescriptor(globalThis, 'navigator') ?? {
    value: undefined,
    configurable: true,
  };
  const forgetBrowser = (): void => {
    delete globals.document;
    delete globals.importScripts;
    Object.defineProperty(globalThis, 'navigator', navigatorOfNode);
  };
  afterEach(forgetBrowser);

  it('T401: createClient: refuses an API key where visitors of a page can read it, and takes a publishable id there', () => {
    const options = { baseUrl: 'https://api.example', apiKey: 'gth_live_x' };
    expect(() => createClient(options)).not.toThrow();
    for (const name of ['document', 'importScripts'] as const) {
      globals[name] = {};
      expect(() => createClient(options)).toThrow('publishableId');
      expect(() => createClient({ ...options, dangerouslyAllowBrowser: true })).not.toThrow();
      expect(() => createClient({ baseUrl: 'https://api.example', publishableId: 'gthp_x' })).not.toThrow();
      forgetBrowser();
    }
    Object.defineProperty(globalThis, 'navigator', { value: { product: 'ReactNative' }, configurable: true });
    expect(() => createClient(options)).toThrow('publishableId');
  });

  it('createClient: refuses credentials that exclude each other, and addresses that are no base URL', () => {
    const baseUrl = 'https://api.example';
    const wrong: ClientOptions[] = [
      { baseUrl, apiKey: 'gth_x', publishableId: 'gthp_x' },
      { baseUrl, publishableId: 'gth_x' },
      { baseUrl, apiKey: 'gthp_x' },
      { baseUrl, accessToken: 'x', idToken: 'y' },
      { baseUrl: 'api.example' },
      { baseUrl: 'ftp://api.example' },
      { baseUrl: 'https://a:b@api.example' },
      { baseUrl: 'https://api.example/?a=b' },
    ];
    for (const options of wrong) expect(() => createClient(options)).toThrow(TypeError);
  });

  it('createClient: makes a client that shows no secret when it is printed', () => {
    const client = createClient({
      baseUrl: 'https://api.example',
      apiKey: 'gth_secret',
      idToken: 'eySecret',
    });
    expect(JSON.stringify(client)).not.toMatch(/secret/i);
  });
});

describe('request', () => {
  it('request: sends path, query, headers and credentials, follows no redirect and sends no cookies', async () => {
    const { client, sent } = clientWith([json({ items: [] })], { apiKey: 'gth_x', accessToken: 'token' });
    await request(client, 'GET /communities/{communityId}/members', {
      path: { communityId: 'a/b c' },
      query: { limit: 5 },
    });
    const [first] = sent;
    expect(first?.url).toBe('https://api.example/communities/a%2Fb%20c/members?limit=5');
    expect([first?.headers.get('x-api-key'), first?.headers.get('authorization')]).toEqual([
      'gth_x',
      'Bearer token',
    ]);
    expect(first?.init).toMatchObject({ redirect: 'manual', credentials: 'omit', method: 'GET' });
  });

  it('T407: request: follows no redirect, and takes a page for no answer', async () => {
    const html = { headers: { 'content-type': 'text/html' } };
    const opaque = Object.defineProperty(new Response(null), 'type', { value: 'opaqueredirect' });
    const wrong: Reply[] = [
      new Response(null, { status: 302, headers: { location: 'https://evil.example' } }),
      () => opaque,
      new Response('<h1>Sign in to the Wi-Fi</h1>', html),
      new Response(''),
      new Response('{"chains":', { headers: { 'content-type': 'application/json' } }),
    ];
    for (const reply of wrong) {
      const { client } = clientWith([reply]);
      await expect(request(client, 'GET /chains')).rejects.toBeInstanceOf(ConnectionError);
    }
    const removed = clientWith([new Response('')]).client;
    const path = { communityId: 'c' };
    await expect(request(removed, 'DELETE /communities/{communityId}', { path })).resolves.toBeUndefined();
    await expect(checkRoles(clientWith([json({ ok: true })]).client, CHECK)).rejects.toThrow('no roles');
  });

  it('T407: request: sets no credentials where requests have none, as in Cloudflare Workers', async () => {
    const own = globalThis.Request;
    const replace = (value: unknown): void => {
      Object.defineProperty(globalThis, 'Request', { value, configurable: true, writable: true });
    };
    replace(class {});
    try {
      const { client, sent } = clientWith([json({ chains: [] })]);
      await request(client, 'GET /chains');
      expect(sent[0]?.init).not.toHaveProperty('credentials');
    } finally {
      replace(own);
    }
  });

  it('T400: request: refuses an idempotency key for operations that do not read it', async () => {
    const { client, sent } = clientWith([json({}, 201)]);
    const options = { body: { name: 'A' }, idempotencyKey: 'k' } as never;
    await expect(request(client, 'POST /communities', options)).rejects.toThrow('Idempotency-Key');
    expect(sent).toEqual([]);
  });

  it('T400: request: never repeats a PUT that names the state that it replaces, or gives a community away', async () => {
    const path = { communityId: 'c' };
    const failure = new TypeError('fetch failed');
    const put = async (body: object, route: 'rules' | 'owner') => {
      const { client, sent } = clientWith([failure, json({})]);
      await request(client, `PUT /communities/{communityId}/${route}`, { path, body } as never).catch(
        () => undefined,
      );
      return sent.length;
    };
    expect(await put({ rules: [], replaces: 'v1' }, 'rules')).toBe(1);
    expect(await put({ userId: 'u' }, 'owner')).toBe(1);
    expect(await put({ rules: [] }, 'rules')).toBe(2);
  });

  it('request: repeats a parameter that is a list, and keeps a path before the base URL', async () => {
    const { client, sent } = clientWith([json([])], { baseUrl: 'https://example.org/gatehouse//' });
    await request(client, 'GET /asset-ownership/{account}', {
      path: { account: '0x1' },
      query: { assets: ['a:1', 'b:2'] },
    });
    expect(sent[0]?.url).toBe('https://example.org/gatehouse/asset-ownership/0x1?assets=a%3A1&assets=b%3A2');
  });

  it('fillPath: never makes another path of any value', () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        const isRefused = ['', '.', '..'].includes(value) || !value.isWellFormed();
        if (isRefused) expect(() => fillPath('/a/{id}/b', { id: value })).toThrow();
        else {
          const { pathname } = new URL(`https://x${fillPath('/a/{id}/b', { id: value })}`);
          expect(pathname.split('/')).toHaveLength(4);
          expect(decodeURIComponent(pathname.split('/')[2] ?? '')).toBe(value);
        }
      }),
    );
  });

  it('request: sends bodies as JSON, and forms where the API takes forms', async () => {
    const { client, sent } = clientWith([json({})]);
    await request(client, 'POST /oauth2/revoke', { body: { token: 'a b' } });
    expect(sent[0]?.body).toEqual(new URLSearchParams({ token: 'a b' }));
    const { paths } = loadOpenApiDocument();
    const forms = Object.entries(paths).flatMap(([path, operations]) =>
      Object.values(operations as Record<string, { requestBody?: { content: object } }>).flatMap(
        (operation) =>
          Object.keys(operation.requestBody?.content ?? {}).map((type) => [
            path.startsWith('/oauth2/'),
            type,
          ]),
      ),
    );
    const FORM = 'application/x-www-form-urlencoded';
    expect(forms.every(([isOAuth, type]) => type === (isOAuth ? FORM : 'application/json'))).toBe(true);
  });

  it('request: throws what the answer says, with code, issues and request id', async () => {
    const { client } = clientWith([refusal(400, 'request_invalid')]);
    const error = await request(client, 'GET /chains').catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(GatehouseError);
    expect(error).toMatchObject({
      status: 400,
      code: 'request_invalid',
      message: 'No.',
      requestId: 'req_1',
      issues: [{ path: 'rules.0', message: 'is wrong' }],
    });
  });

  it('request: reads errors of OAuth, and of a proxy that answers in HTML', async () => {
    const oauth = clientWith([json({ error: 'invalid_grant', error_description: 'Used.' }, 400)]).client;
    const body = { grant_type: 'refresh_token' as const };
    await expect(request(oauth, 'POST /oauth2/token', { body })).rejects.toMatchObject({
      code: 'invalid_grant',
      message: 'Used.',
    });
    const html = new Response('<h1>Bad gateway</h1>', { status: 500, headers: { 'x-request-id': 'r' } });
    await expect(request(clientWith([html]).client, 'GET /chains')).rejects.toMatchObject({
      status: 500,
      code: undefined,
      requestId: 'r',
    });
    const broken = new Response('{"error":', {
      status: 500,
      headers: { 'content-type': 'application/json' },
    });
    await expect(request(clientWith([broken]).client, 'GET /chains')).rejects.toMatchObject({ status: 500 });
  });

  it('request: repeats a GET after 502, 503, 504 and no answer, at most as often as it may', async () => {
    const failures = [refusal(503, 'node_unavailable'), new TypeError('fetch failed'), refusal(502, 'x')];
    const { client, sent } = clientWith([...failures, json(ROLES)]);
    await expect(request(client, 'GET /chains')).resolves.toEqual(ROLES);
    expect(sent).toHaveLength(4);
    const down = clientWith([new TypeError('fetch failed')]);
    await expect(request(down.client, 'GET /chains')).rejects.toBeInstanceOf(ConnectionError);
    expect(down.sent).toHaveLength(4);
    const once = clientWith([refusal(503, 'x')]);
    await expect(request(once.client, 'GET /chains', { retry: { attempts: 1 } })).rejects.toThrow();
    expect(once.sent).toHaveLength(1);
  });

  it('T400: request: never repeats a POST that may have been carried out, unless it has an idempotency key', async () => {
    const body = { name: 'A', platform: 'ethereum' } as never;
    for (const failure of [refusal(503, 'x'), refusal(504, 'x'), new TypeError('fetch failed')]) {
      const { client, sent } = clientWith([failure]);
      await expect(request(client, 'POST /communities', { body })).rejects.toThrow();
      expect(sent).toHaveLength(1);
      const keyed = clientWith([failure, json(ROLES)]);
      await request(keyed.client, 'POST /access-control/check-roles', { body, idempotencyKey: 'k' });
      expect(keyed.sent.map(({ headers }) => headers.get('idempotency-key'))).toEqual(['k', 'k']);
    }
    const limited = clientWith([
      refusal(429, 'second_limit_exceeded', { 'retry-after': '0' }),
      json({}, 201),
    ]);
    await request(limited.client, 'POST /communities', { body });
    expect(limited.sent).toHaveLength(2);
  });

  it('request: does not wait for a Retry-After of a month', async () => {
    const { client, sent } = clientWith([refusal(429, 'month_limit_exceeded', { 'retry-after': '2000000' })]);
    await expect(request(client, 'GET /chains')).rejects.toMatchObject({
      code: 'month_limit_exceeded',
      retryAfterMs: 2_000_000_000,
    });
    expect(sent).toHaveLength(1);
  });

  it('request: ends with the reason of its signal while it waits, and says when it took too long', async () => {
    const hanging = (_: string, { signal }: RequestInit): Promise<Response> =>
      new Promise((_resolve, reject) => {
        signal?.throwIfAborted();
        signal?.addEventListener('abort', () => {
          reject(signal.reason as Error);
        });
      });
    const { client } = clientWith([hanging]);
    const controller = new AbortController();
    const asked = request(client, 'GET /chains', { signal: controller.signal });
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(asked).rejects.toBe(reason);
    const late = request(client, 'GET /chains?secret' as 'GET /chains', {
      timeoutMs: 5,
      retry: { attempts: 1 },
    });
    const error = await late.catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ConnectionError);
    expect((error as Error).message).toBe('GET https://api.example/chains: no answer within 5 ms');
  });

  it('request: ends with the reason of its signal while an access token is renewed', async () => {
    const never = new Promise<never>(() => undefined);
    const accessToken = { getAccessToken: () => never, renewAccessToken: () => never };
    const { client, sent } = clientWith([json({})], { accessToken });
    const controller = new AbortController();
    const asked = request(client, 'GET /account/me', { signal: controller.signal });
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(asked).rejects.toBe(reason);
    expect(sent).toEqual([]);
  });

  it('request: asks for another access token once after 401', async () => {
    const source = {
      current: 'old',
      getAccessToken: () => Promise.resolve(source.current),
      renewAccessToken: (refused: string) => {
        source.current = `after ${refused}`;
        return Promise.resolve(source.current);
      },
    };
    const { client, sent } = clientWith([refusal(401, 'credential_invalid')], { accessToken: source });
    await expect(request(client, 'GET /account/me')).rejects.toMatchObject({ status: 401 });
    expect(sent.map(({ headers }) => headers.get('authorization'))).toEqual([
      'Bearer old',
      'Bearer after old',
    ]);
  });
});

describe('paginate', () => {
  it('paginate: walks through all pages of any sizes, in order, and asks for each page once', async () => {
    const pageSizes = fc.array(fc.nat(3), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(pageSizes, async (sizes) => {
        const pages = sizes.map((size, page) => ({
          items: Array.from({ length: size }, (_, at) => ({ id: `${String(page)}.${String(at)}` })),
          ...(page + 1 < sizes.length && { paginationToken: `token ${String(page + 1)}` }),
        }));
        const { client, sent } = clientWith(pages.map((page) => json(page)));
        const listed: unknown[] = [];
        for await (const community of paginate(client, 'GET /communities', { query: { limit: 3 } }))
          listed.push(community);
        expect(listed).toEqual(pages.flatMap(({ items }) => items));
        const tokens = sent.map(({ url }) => new URL(url).searchParams.get('paginationToken'));
        expect(tokens).toEqual([null, ...pages.slice(1).map((_, at) => `token ${String(at + 1)}`)]);
      }),
      { numRuns: 30 },
    );
  });

  it('paginate: ends an export, which always has a cursor, with its empty page', async () => {
    const events = [{ id: '1' }, { id: '2' }];
    const replies = [json({ items: events, cursor: 'c1' }), json({ items: [], cursor: 'c1' })];
    const { client, sent } = clientWith(replies);
    const listed: unknown[] = [];
    const path = { communityId: 'c' };
    for await (const event of paginate(client, 'GET /analytics/{communityId}/events', { path }))
      listed.push(event);
    expect(listed).toEqual(events);
    expect(sent).toHaveLength(2);
  });

  it('paginate: asks for no further page when the loop ends early', async () => {
    const { client, sent } = clientWith([json({ items: [{ id: '1' }], paginationToken: 'more' })]);
    for await (const community of paginate(client, 'GET /communities')) {
      expect(community).toEqual({ id: '1' });
      break;
    }
    expect(sent).toHaveLength(1);
  });
});

describe('checks', () => {
  it('checkRoles: is repeated after 503, because it changes nothing', async () => {
    const { client, sent } = clientWith([refusal(503, 'x', { 'retry-after': '0' }), json(ROLES)]);
    await expect(checkRoles(client, CHECK)).resolves.toEqual(ROLES);
    expect(sent).toHaveLength(2);
  });

  it('checkRolesAsync: sends an idempotency key with every attempt', async () => {
    const { client, sent } = clientWith([new TypeError('fetch failed'), json({ requestId: 'r' })]);
    await expect(checkRolesAsync(client, CHECK)).resolves.toBe('r');
    const keys = sent.map(({ headers }) => headers.get('idempotency-key'));
    expect(keys[0]).toMatch(/^[\w-]{36}$/);
    expect(new Set(keys).size).toBe(1);
  });

  it('waitForRoles: returns the result, and throws a TimeoutError or the reason of its signal without one', async () => {
    const done = clientWith([json({ requestId: 'r' }, 202, { 'retry-after': '1' }), json(ROLES)]);
    await expect(waitForRoles(done.client, 'r')).resolves.toEqual(ROLES);
    const never = clientWith([json({ requestId: 'r' }, 202, { 'retry-after': '1' })]).client;
    await expect(waitForRoles(never, 'r', { maxWaitMs: 20 })).rejects.toMatchObject({ name: 'TimeoutError' });
    const reason = new Error('enough');
    await expect(waitForRoles(never, 'r', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  it('waitForRoles: goes on while the deployment is away, and waits for no Retry-After past its end', async () => {
    const retry = { attempts: 1 };
    const away = clientWith([refusal(503, 'x'), new TypeError('fetch failed'), json(ROLES)]);
    await expect(waitForRoles(away.client, 'r', { retry })).resolves.toEqual(ROLES);
    expect(away.sent).toHaveLength(3);
    const far = clientWith([json({ requestId: 'r' }, 202, { 'retry-after': '9000000000' })]);
    await expect(waitForRoles(far.client, 'r', { maxWaitMs: 50 })).rejects.toMatchObject({
      name: 'TimeoutError',
    });
    expect(far.sent).toHaveLength(1);
    const gone = clientWith([refusal(404, 'request_not_found')]).client;
    await expect(waitForRoles(gone, 'r')).rejects.toMatchObject({ status: 404 });
  });

  it.each<[string, () => Response, number, RegExp]>([
    [
      'a redirect',
      () => new Response(null, { status: 302, headers: { location: '/login' } }),
      302,
      /redirect/,
    ],
    [
      'a page',
      () => new Response('<h1>Login</h1>', { headers: { 'content-type': 'text/html' } }),
      200,
      /not JSON/,
    ],
    ['JSON of something else', () => json({ status: 'ok' }), 200, /no roles/],
  ])(
    'waitForRoles: ends at %s, which no answer of Gatehouse will follow',
    async (_, answer, status, message) => {
      const { client, sent } = clientWith([json({ requestId: 'r' }, 202, { 'retry-after': '0' }), answer()]);
      const error = await waitForRoles(client, 'r', { maxWaitMs: 10_000 }).catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(ConnectionError);
      expect(error).toMatchObject({ status, message: expect.stringMatching(message) });
      expect(sent).toHaveLength(2);
    },
  );

  it('readRole: takes a role that could not be read for undetermined, not for denied', () => {
    const error = { roleId: 'b', rule: 0, name: 'E', message: '', retryable: true };
    const answer = { roles: ['a', 'b', 'c'].map((id) => ({ id, granted: id === 'a' })), errors: [error] };
    expect(['a', 'b', 'c', 'd'].map((id) => readRole(answer, id))).toEqual([
      'granted',
      'undetermined',
      'denied',
      'undetermined',
    ]);
  });
});
