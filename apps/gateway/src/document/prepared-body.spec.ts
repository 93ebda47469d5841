import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import express from 'express';
import { createServer, type IncomingHttpHeaders, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { PreparedBody } from './prepared-body.js';

const TEXT = JSON.stringify({ words: Array.from({ length: 500 }, (_, at) => `word ${at % 7}`) });
const HEADERS = { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'public, max-age=60' };

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

describe('PreparedBody', () => {
  let server: Server;

  beforeAll(async () => {
    const prepared = new PreparedBody(Buffer.from(TEXT), HEADERS);
    const app = express().use((request, response) => prepared.send(request, response));
    server = createServer(app as unknown as () => void).listen(0);
    await new Promise((resolve) => server.once('listening', resolve));
  });

  afterAll(() => {
    server.close();
  });

  const send = (headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const { port } = server.address() as AddressInfo;
      const request = httpRequest({ port, method, headers, agent: false }, (response) => {
        buffer(response).then((body) => {
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
        }, reject);
      });
      request.on('error', reject).end();
    });

  const accepting = (codings: string, more: Record<string, string> = {}) =>
    send({ 'accept-encoding': codings, ...more });

  it.each([
    ['br, gzip', 'br', brotliDecompressSync],
    ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
    ['*', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['gzip, br;q=0', 'gzip', gunzipSync],
  ])('PreparedBody: sends what `Accept-Encoding: %s` accepts as %s', async (codings, coding, decompress) => {
    const { headers, body } = await accepting(codings);
    expect([headers['content-encoding'], headers.vary]).toEqual([coding, 'Accept-Encoding']);
    expect(headers['content-length']).toBe(String(body.length));
    expect(body.length).toBeLessThan(TEXT.length / 10);
    expect(decompress(body).toString()).toBe(TEXT);
  });

  it.each(['', 'identity', 'zstd', 'br;q=0', '*;q=0', 'nonsense;;q=x'])(
    'PreparedBody: sends the body as it is for `Accept-Encoding: %s`',
    async (codings) => {
      const { headers, body } = await accepting(codings);
      expect([headers['content-encoding'], headers.vary]).toEqual([undefined, 'Accept-Encoding']);
      expect(body.toString()).toBe(TEXT);
    },
  );

  it('PreparedBody: has a strong tag for each coding', async () => {
    const tags = await Promise.all(
      ['br', 'gzip', 'identity'].map(async (codings) => (await accepting(codings)).headers.etag),
    );
    expect(new Set(tags).size).toBe(3);
    for (const tag of tags) expect(tag).toMatch(/^"[\w-]+"$/);
  });

  it('PreparedBody: answers 304 without a body where If-None-Match names the tag, in a list, weakly, or as *', async () => {
    const { etag = '' } = (await accepting('br')).headers;
    for (const tags of [etag, `"other", ${etag}`, `W/"a",W/${etag}`, '*']) {
      const { status, headers, body } = await accepting('br', {
        'if-none-match': tags,
        // fetch sends it along.
        'cache-control': 'no-cache',
      });
      expect([tags, status, headers.etag, headers.vary, headers['cache-control'], body.length]).toEqual([
        ...[tags, 304, etag, 'Accept-Encoding', HEADERS['Cache-Control'], 0],
      ]);
    }
  });

  it('PreparedBody: sends the body where If-None-Match names another coding or content', async () => {
    const { etag = '' } = (await accepting('br')).headers;
    expect((await accepting('gzip', { 'if-none-match': etag })).status).toBe(200);
    expect((await accepting('br', { 'if-none-match': '"other"' })).status).toBe(200);
  });

  it('PreparedBody: answers HEAD with the headers of GET', async () => {
    const get = await accepting('gzip');
    const head = await send({ 'accept-encoding': 'gzip' }, 'HEAD');
    for (const name of ['content-length', 'content-encoding', 'content-type', 'etag', 'vary'])
      expect([name, head.headers[name]]).toEqual([name, get.headers[name]]);
    expect(head.body.length).toBe(0);
  });
});
