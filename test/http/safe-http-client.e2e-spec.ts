import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { SafeHttpError, SafeHttpClient, type SafeHttpClientOptions } from '@app/http';
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { freePort } from '../../scripts/processes/ports.mjs';
import { nameServer, type Zone } from '../support/name-server.js';
import { receiver } from '../support/receiver.js';
import { selfSigned, type SelfSigned } from '../support/self-signed.js';
import ipaddr from 'ipaddr.js';

const LOOPBACK = [ipaddr.parseCIDR('127.0.0.0/8')];
const LIST = { maxBytes: 1_000, timeoutMs: 5_000 };

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0).reverse()) await cleanUp();
});

function createClient(options: SafeHttpClientOptions = {}): SafeHttpClient {
  const client = new SafeHttpClient(options);
  cleanups.push(() => client.close());
  return client;
}

async function serve(handler: RequestListener, identity?: SelfSigned) {
  const server = await receiver(handler, identity);
  cleanups.push(server.stop);
  return server;
}

async function serveNames(zone: Zone) {
  const server = await nameServer(zone);
  cleanups.push(server.stop);
  return server;
}

async function getErrorKind(call: Promise<unknown>): Promise<string> {
  const failure = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(SafeHttpError);
  return (failure as SafeHttpError).kind;
}

const ok: RequestListener = (_request, response) => response.end('fine');

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

describe('a call', () => {
  it('SafeHttpClient: sends the body byte for byte and returns the status', async () => {
    const seen: unknown[] = [];
    const { port } = await serve((request, response) => {
      void readBody(request).then((body) => {
        const { method, url, headers } = request;
        seen.push({ method, url, host: headers.host, type: headers['content-type'], body });
        response.writeHead(202, { 'retry-after': '120' }).end('thank you');
      });
    });
    const url = `http://127.0.0.1:${port}/hook?a=%2Fb`;
    const answer = await createClient({ allowedCidrs: LOOPBACK }).post(url, '{"ä":1}', {
      'content-type': 'application/json',
    });
    expect(answer).toEqual({ status: 202, retryAfterMs: 120_000 });
    expect(seen).toEqual([
      {
        method: 'POST',
        url: '/hook?a=%2Fb',
        host: `127.0.0.1:${port}`,
        type: 'application/json',
        body: '{"ä":1}',
      },
    ]);
  });

  it('SafeHttpClient: connects to the checked address of a name, and reuses the connection', async () => {
    const names = await serveNames(() => ['127.0.0.1']);
    const target = await serve(ok);
    const client = createClient({ allowedCidrs: LOOPBACK, dnsServers: [names.address], connections: 1 });
    for (const _ of [1, 2, 3])
      expect(await client.getText(`http://a.example:${target.port}/`, LIST)).toMatchObject({ text: 'fine' });
    expect([target.connections(), names.asked]).toEqual([1, ['a.example']]);
    // The same address and port under another name gets its own connection.
    await client.getText(`http://b.example:${target.port}/`, LIST);
    expect([target.connections(), names.asked]).toEqual([2, ['a.example', 'b.example']]);
  });

  it('SafeHttpClient: resolves localhost without a lookup', async () => {
    const { port } = await serve(ok);
    const client = createClient({ allowedCidrs: LOOPBACK, dnsServers: ['127.0.0.1:9'] });
    expect(await client.post(`http://localhost:${port}/`, '')).toMatchObject({ status: 200 });
  });

  it('safe http client: reaches localhost on ::1 where only that listens, if the network may be called', async () => {
    const server = createHttpServer(ok);
    server.listen(0, '::1');
    await once(server, 'listening');
    cleanups.push(async () => {
      server.close();
      await once(server, 'close');
    });
    const { port } = server.address() as AddressInfo;
    const url = `http://localhost:${port}/`;
    const both = [...LOOPBACK, ipaddr.parseCIDR('::1/128')];
    expect(await createClient({ allowedCidrs: both }).post(url, '')).toMatchObject({ status: 200 });
    expect(await getErrorKind(createClient({ allowedCidrs: LOOPBACK }).post(url, ''))).toBe('connection');
  });

  it('SafeHttpClient: does not follow redirects', async () => {
    const elsewhere = await serve(ok);
    for (const status of [301, 302, 303, 307, 308]) {
      const { port } = await serve((_request, response) => {
        response.writeHead(status, { location: `http://127.0.0.1:${elsewhere.port}/` }).end();
      });
      const client = createClient({ allowedCidrs: LOOPBACK });
      expect(await client.post(`http://127.0.0.1:${port}/`, '')).toMatchObject({ status });
      expect(await client.getText(`http://127.0.0.1:${port}/`, LIST)).toMatchObject({ status, text: '' });
    }
    expect(elsewhere.connections()).toBe(0);
  });
});

describe('a forbidden address', () => {
  it('SafeHttpClient, forbidden address: gets no connection in any notation', async () => {
    const target = await serve(ok);
    const client = createClient();
    for (const host of [
      ...['127.0.0.1', '127.1', '0x7f000001', '2130706433', '0177.0.0.1', '[::1]', '[::ffff:127.0.0.1]'],
      ...[
        'localhost',
        'localhost.',
        '0.0.0.0',
        '0',
        '127.0.0.1.',
        '127%2e0.0.1',
        'x@127.0.0.1',
        '127。0。0。1',
      ],
    ])
      for (const scheme of ['http', 'https']) {
        const url = `${scheme}://${host}:${target.port}/`;
        expect(client.findUrlProblem(url)).toEqual(expect.any(String));
        expect(await getErrorKind(client.post(url, 'x'))).toBe('blocked');
        expect(await getErrorKind(client.getText(url, LIST))).toBe('blocked');
      }
    expect(target.connections()).toBe(0);
  });

  it('SafeHttpClient, forbidden address: is blocked behind a name', async () => {
    const target = await serve(ok);
    const names = await serveNames(() => ['127.0.0.1']);
    const client = createClient({ dnsServers: [names.address] });
    expect(await getErrorKind(client.post(`https://innocent.example:${target.port}/`, 'x'))).toBe('blocked');
    expect([target.connections(), names.asked]).toEqual([0, ['innocent.example']]);
  });

  it('SafeHttpClient, forbidden address: is blocked behind a name that has an allowed address too', async () => {
    const target = await serve(ok);
    for (const addresses of [
      ['127.0.0.1', '169.254.169.254'],
      ['10.0.0.1', '127.0.0.1'],
    ]) {
      const names = await serveNames(() => addresses);
      const client = createClient({ allowedCidrs: LOOPBACK, dnsServers: [names.address] });
      expect(await getErrorKind(client.post(`http://mixed.example:${target.port}/`, 'x'))).toBe('blocked');
    }
    expect(target.connections()).toBe(0);
  });

  it('SafeHttpClient, forbidden address: is blocked behind a name whose address changes (DNS rebinding)', async () => {
    const target = await serve((request, response) => {
      response.writeHead(200, { connection: 'close' }).end(request.url);
    });
    // Alternates between an allowed and a forbidden address.
    let asked = 0;
    const names = await serveNames(() => [(asked += 1) % 2 === 1 ? '127.0.0.1' : '127.0.0.2']);
    const allow = [ipaddr.parseCIDR('127.0.0.1/32')];
    const client = createClient({ allowedCidrs: allow, dnsServers: [names.address] });
    const url = `http://rebind.example:${target.port}/`;
    expect(await client.getText(url, LIST)).toMatchObject({ status: 200 });
    expect(await getErrorKind(client.getText(url, LIST))).toBe('blocked');
    expect(await client.getText(url, LIST)).toMatchObject({ status: 200 });
    // Each connection makes a lookup: the checked address is the one connected to.
    expect([target.connections(), asked]).toEqual([2, 3]);
  });

  it('SafeHttpClient, forbidden address: is any address over http outside the allowed CIDRs', async () => {
    const names = await serveNames(() => ['203.0.113.1']);
    const client = createClient({ allowedCidrs: LOOPBACK, dnsServers: [names.address] });
    expect(await getErrorKind(client.post('http://public.example:8080/', 'x'))).toBe('blocked');
  });
});

describe('https', () => {
  let trusted: SelfSigned;
  beforeAll(() => {
    trusted = selfSigned('hooks.example', '127.0.0.1');
  });

  it('SafeHttpClient over https: sends the server name and accepts a valid certificate', async () => {
    const names = await serveNames(() => ['127.0.0.1']);
    const target = await serve(ok, trusted);
    const client = createClient({ allowedCidrs: LOOPBACK, ca: [trusted.cert], dnsServers: [names.address] });
    expect(await client.post(`https://hooks.example:${target.port}/`, 'x')).toMatchObject({ status: 200 });
    expect(await client.post(`https://127.0.0.1:${target.port}/`, 'x')).toMatchObject({ status: 200 });
    expect(target.serverNames).toEqual(['hooks.example', false]);
  });

  it('SafeHttpClient over https: rejects a self-signed certificate, one of another name, and a server without TLS', async () => {
    const names = await serveNames(() => ['127.0.0.1']);
    const target = await serve(ok, trusted);
    const plain = await serve(ok);
    const allow = LOOPBACK;
    const dnsServers = [names.address];
    const url = `https://hooks.example:${target.port}/`;
    expect(await getErrorKind(createClient({ allowedCidrs: allow, dnsServers }).post(url, 'x'))).toBe('tls');
    const client = createClient({ allowedCidrs: allow, dnsServers, ca: [trusted.cert] });
    expect(await getErrorKind(client.post(`https://other.example:${target.port}/`, 'x'))).toBe('tls');
    expect(await getErrorKind(client.post(`https://hooks.example:${plain.port}/`, 'x'))).toBe('tls');
  });
});

describe('a failed call', () => {
  it('SafeHttpClient, failed call: reports a name without an address, and a silent name server', async () => {
    const names = await serveNames((host) => (host === 'nowhere.example' ? [] : undefined));
    const client = createClient({ dnsServers: [names.address], timeoutMs: 20_000, connectTimeoutMs: 20_000 });
    expect(await getErrorKind(client.post('https://nowhere.example/', 'x'))).toBe('dns');
    expect(await getErrorKind(client.post('https://silent.example/', 'x'))).toBe('dns');
  });

  it('SafeHttpClient, failed call: reports a closed port', async () => {
    const client = createClient({ allowedCidrs: LOOPBACK });
    expect(await getErrorKind(client.post(`http://127.0.0.1:${await freePort()}/`, 'x'))).toBe('connection');
  });

  it.each([
    ['connection', ''],
    ['bad_answer', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['bad_answer', 'HTTP/1.1 abc\r\n\r\n'],
    ['bad_answer', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!'],
    ['too_large', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
    ['interrupted', 'HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf of it'],
  ])('SafeHttpClient, failed call: reports %s for the response %j', async (kind, text) => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end(text));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    cleanups.push(async () => {
      server.close();
      await once(server, 'close');
    });
    const { port } = server.address() as AddressInfo;
    expect(
      await getErrorKind(createClient({ allowedCidrs: LOOPBACK }).getText(`http://127.0.0.1:${port}/`, LIST)),
    ).toBe(kind);
  });

  it('SafeHttpClient, failed call: reports a missing response, and closes its connection', async () => {
    const closed: Promise<unknown>[] = [];
    const target = await serve((request) => {
      closed.push(once(request.socket, 'close'));
    });
    const client = createClient({ allowedCidrs: LOOPBACK, timeoutMs: 2_000 });
    expect(await getErrorKind(client.post(`http://127.0.0.1:${target.port}/`, 'x'))).toBe('timeout');
    await Promise.all(closed);
    expect(closed).toHaveLength(1);
  });

  it('SafeHttpClient, failed call: reports a response that is too slow', async () => {
    const target = await serve((_request, response) => {
      const timer = setInterval(() => response.write('1,'), 20);
      response.on('close', () => {
        clearInterval(timer);
      });
    });
    const client = createClient({ allowedCidrs: LOOPBACK });
    const url = `http://127.0.0.1:${target.port}/`;
    expect(await getErrorKind(client.getText(url, { maxBytes: 100_000, timeoutMs: 200 }))).toBe('timeout');
  });

  it('getText: reads what a server compressed although it was not asked to, within the same bound', async () => {
    const text = 'compressed '.repeat(50);
    const bodies: Record<string, Buffer> = {
      gzip: gzipSync(text),
      'x-gzip': gzipSync(text),
      br: brotliCompressSync(text),
      deflate: deflateSync(text),
      'raw-deflate': deflateRawSync(text),
      bomb: gzipSync('x'.repeat(100_000)),
      damaged: gzipSync(text).subarray(0, 20),
      compress: Buffer.from('x'),
      twice: brotliCompressSync(gzipSync(text)),
      'bomb-in-bomb': gzipSync(gzipSync('x'.repeat(100_000))),
      thrice: gzipSync(gzipSync(gzipSync(text))),
      'utf-8': Buffer.from(text),
      constructor: Buffer.from(text),
    };
    const codings: Record<string, string> = {
      ...{ 'raw-deflate': 'deflate', bomb: 'gzip', damaged: 'gzip', twice: 'gzip, br' },
      ...{ 'bomb-in-bomb': 'gzip, gzip', thrice: 'gzip,gzip,gzip' },
    };
    const target = await serve(({ url = '' }, response) => {
      const name = url.slice(1);
      response.setHeader('content-encoding', codings[name] ?? name).end(bodies[name]);
    });
    const client = createClient({ allowedCidrs: LOOPBACK });
    const get = (path: string) => client.getText(`http://127.0.0.1:${target.port}/${path}`, LIST);
    for (const name of ['gzip', 'x-gzip', 'br', 'deflate', 'raw-deflate', 'twice', 'utf-8', 'constructor'])
      expect((await get(name)).text).toBe(text);
    expect(await getErrorKind(get('bomb'))).toBe('too_large');
    expect(await getErrorKind(get('damaged'))).toBe('bad_answer');
    expect(await getErrorKind(get('bomb-in-bomb'))).toBe('too_large');
    for (const name of ['compress', 'thrice']) expect(await getErrorKind(get(name))).toBe('bad_answer');
  });

  it('SafeHttpClient, failed call: reports a response that is too long, compressed, or not text', async () => {
    const handlers: Record<string, RequestListener> = {
      '/fits': (_request, response) => response.end('x'.repeat(1_000)),
      '/long': (_request, response) => response.end('x'.repeat(1_001)),
      '/endless': (_request, response) => {
        const more = (): void => {
          while (response.write('x'.repeat(65_536)));
        };
        response.on('drain', more);
        more();
      },
      '/gzip': (_request, response) => response.setHeader('content-encoding', 'gzip').end('x'),
      '/latin1': (_request, response) => response.end(Buffer.from([0xe4])),
    };
    const target = await serve((request, response) => handlers[request.url ?? '']?.(request, response));
    const client = createClient({ allowedCidrs: LOOPBACK });
    const get = (path: string) => client.getText(`http://127.0.0.1:${target.port}${path}`, LIST);
    expect((await get('/fits')).text).toHaveLength(1_000);
    expect(await getErrorKind(get('/long'))).toBe('too_large');
    expect(await getErrorKind(get('/endless'))).toBe('too_large');
    expect(await getErrorKind(get('/gzip'))).toBe('bad_answer');
    expect(await getErrorKind(get('/latin1'))).toBe('bad_answer');
  });

  it('SafeHttpClient, failed call: is not caused by the response body of a POST, which is discarded up to a limit', async () => {
    const target = await serve((request, response) => {
      response.writeHead(200);
      if (request.url === '/endless') {
        const more = (): void => {
          while (response.write('x'.repeat(65_536)));
        };
        response.on('drain', more);
        more();
      } else response.write('and then nothing');
    });
    const client = createClient({ allowedCidrs: LOOPBACK, timeoutMs: 2_000, maxResponseBytes: 1_000 });
    for (const path of ['/endless', '/silent'])
      expect(await client.post(`http://127.0.0.1:${target.port}${path}`, 'x')).toMatchObject({ status: 200 });
  });
});
