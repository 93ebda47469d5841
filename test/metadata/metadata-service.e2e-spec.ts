import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from '@jest/globals';
import { MetadataFetchBudget } from '../../apps/token-gating/src/metadata/metadata-failure.js';
import { MetadataWorld } from './metadata-world.js';

const world = new MetadataWorld();
afterAll(() => world.stop());

const document = { name: 'One', attributes: [{ trait_type: 'Hat', value: 'red' }] };
const text = JSON.stringify(document);
const tenantId = 'tenant';

const failure = (code: string, permanent: boolean, message = /./) => ({
  ok: false,
  permanent,
  code,
  message: expect.stringMatching(message) as unknown,
});

describe('T88: metadata of tokens', () => {
  it('metadata of tokens: is fetched once, and kept', async () => {
    let requests = 0;
    const url = await world.start((_, response) => {
      requests += 1;
      response.end(text);
    });
    const service = world.createService();
    const results = await Promise.all([1, 2, 3].map(() => service.find(`${url}/1`, { tenantId })));
    results.push(await service.find(`${url}/1`, { tenantId: 'another' }));
    expect(results.map((result) => result.ok && result.toJson())).toEqual([
      document,
      document,
      document,
      document,
    ]);
    expect(requests).toBe(1);
  });

  it('metadata of tokens: has the token id of ERC-1155 as 64 hexadecimal digits', async () => {
    const paths: (string | undefined)[] = [];
    const url = await world.start(({ url: path }, response) => {
      paths.push(path);
      response.end(text);
    });
    await world.createService().find(`${url}/{id}.json`, { tenantId, tokenId: 0xabcn });
    expect(paths).toEqual([`/${'0'.repeat(61)}abc.json`]);
  });

  it.each([
    ['base64', `data:application/json;base64,${Buffer.from(text).toString('base64')}`],
    ['percent-encoded', `data:application/json,${encodeURIComponent(text)}`],
    ['plain', `data:application/json;utf8,${text}`],
    ['without a media type', `data:,${text}`],
    [
      'with a percent sign that encodes nothing',
      `data:application/json;utf8,{"name":"100%","attributes":[]}`,
    ],
  ])('is read from data URIs: %s', async (_, uri) => {
    expect(await world.createService().find(uri, { tenantId })).toMatchObject({ ok: true });
  });

  it.each([
    'javascript:alert(1)',
    'file:///etc/passwd',
    'ftp://example.com/1',
    'gopher://example.com/1',
    'blob:https://example.com/1',
    '//example.com/1',
    '/etc/passwd',
    '',
    'https://user:secret@example.com/1',
    'https://127.0.0.2/1',
    'https://[::1]/1',
    'http://169.254.169.254/latest/meta-data',
  ])('metadata of tokens: is not fetched from %p', async (uri) => {
    expect(await world.createService().find(uri, { tenantId })).toEqual(failure('metadata_refused', true));
  });

  it('metadata of tokens: follows a redirect, and judges where it leads', async () => {
    const target = await world.start((_, response) => response.end(text));
    const redirect = await world.start(({ url }, response) =>
      response.writeHead(302, { location: url === '/good' ? `${target}/1` : 'http://127.0.0.2/1' }).end(),
    );
    const service = world.createService();
    expect(await service.find(`${redirect}/good`, { tenantId })).toMatchObject({ ok: true });
    expect(await service.find(`${redirect}/private`, { tenantId })).toEqual(
      failure('metadata_refused', true, /private network|may not be called/),
    );
  });

  it('metadata of tokens: ends a loop of redirects', async () => {
    const url = await world.start((_, response) => response.writeHead(301, { location: '/again' }).end());
    expect(await world.createService().find(url, { tenantId })).toEqual(failure('metadata_refused', true));
  });

  const hostile = {
    '2 MiB': () => ({ body: `"${'a'.repeat(2 * 1024 * 1024)}"` }),
    'a zip bomb': () => ({
      body: gzipSync(Buffer.alloc(50 * 1024 * 1024, ' ')),
      headers: { 'content-encoding': 'gzip' },
    }),
    HTML: () => ({ body: '<!doctype html><script>alert(1)</script>' }),
    'JSON of depth 10,000': () => ({ body: `{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}` }),
    'an array': () => ({ body: '[]' }),
    'bytes that are not UTF-8': () => ({ body: Buffer.from([0x7b, 0xff, 0x7d]) }),
    nothing: () => ({ body: '' }),
  };
  it.each(Object.entries(hostile))('metadata of tokens: is not %s', async (_, getAnswer) => {
    const { body, headers = {} } = getAnswer() as { body: string | Buffer; headers?: Record<string, string> };
    const url = await world.start((_request, response) => response.writeHead(200, headers).end(body));
    expect(await world.createService().find(url, { tenantId })).toEqual(failure('metadata_malformed', true));
  });

  it.each([
    [404, 'metadata_refused', true],
    [429, 'metadata_unavailable', false],
    [500, 'metadata_unavailable', false],
  ])('metadata of tokens: is missing after status %d', async (status, code, permanent) => {
    const url = await world.start((_, response) => response.writeHead(status).end());
    expect(await world.createService().find(url, { tenantId })).toEqual(failure(code, permanent));
  });

  it('metadata of tokens: costs a request at most 200 fetches, cached documents apart', async () => {
    const url = await world.start((_, response) => response.end(text));
    const service = world.createService();
    await service.find(`${url}/0`, { tenantId });
    const budget = new MetadataFetchBudget();
    const results = await Promise.all(
      Array.from({ length: 202 }, (_, id) => service.find(`${url}/${id}`, { tenantId, budget })),
    );
    expect(results.filter(({ ok }) => ok)).toHaveLength(201);
    expect(results.at(-1)).toEqual(failure('metadata_limit_exceeded', true));
  });

  it('metadata of tokens: is given up on when the request ends', async () => {
    const url = await world.start(() => undefined);
    const found = world.createService().find(url, { tenantId, signal: AbortSignal.timeout(50) });
    expect(await found).toEqual(failure('metadata_timeout', false));
  });

  it('metadata of tokens: is read from long URIs while reads in the background wait for their turn', async () => {
    const service = world.createService();
    const value = { ok: true, value: `data:,${text}` } as const;
    let reads = 0;
    const waiting = ['a', 'b', 'c', 'd'].map((tenant) =>
      service.findLong(
        { key: tenant, lane: 'background', read: () => new Promise(() => undefined) },
        { tenantId: tenant },
      ),
    );
    const read = () => {
      reads += 1;
      return Promise.resolve(value);
    };
    const longUri = { key: 'token', lane: 'foreground', read } as const;
    expect(await service.findLong(longUri, { tenantId })).toMatchObject({ ok: true });
    expect(await service.findLong(longUri, { tenantId: 'another' })).toMatchObject({ ok: true });
    expect({ reads, waiting: waiting.length }).toEqual({ reads: 1, waiting: 4 });
  });

  it('metadata of tokens: is fetched for others while a tenant waits for servers that hang', async () => {
    const hanging = await Promise.all(
      Array.from({ length: 4 }, () =>
        world.start(({ url }, response) => url === '/good' && response.end(text)),
      ),
    );
    const service = world.createService();
    const attacks = hanging.flatMap((server) =>
      Array.from({ length: 20 }, (_, id) => service.find(`${server}/${id}`, { tenantId: 'attacker' })),
    );
    const victim = await service.find(`${String(hanging[0])}/good`, { tenantId: 'victim' });
    expect(victim).toMatchObject({ ok: true });
    for (const { ok } of await Promise.all(attacks)) expect(ok).toBe(false);
  });
});
