import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ConnectionRegistry } from './connection-registry.js';

describe('ConnectionRegistry', () => {
  let server: Server;
  let registry: ConnectionRegistry;
  let socket: Socket;

  beforeEach(async () => {
    server = createServer({ requestTimeout: 100, headersTimeout: 100 });
    registry = new ConnectionRegistry(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  });

  afterEach(() => {
    socket.destroy();
    server.closeAllConnections();
  });

  it('ConnectionRegistry: ends a drain although a client keeps sending its body slowly', async () => {
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n');
    const sending = setInterval(() => socket.write('.'), 10);
    try {
      await once(server, 'request');
      await registry.drain();
    } finally {
      clearInterval(sending);
    }
  });

  it('ConnectionRegistry: waits for the response of a complete request for longer than the request timeout', async () => {
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    const [, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
    const drained = registry.drain();
    await sleep(200);
    response.end('complete');
    const [bytes] = (await once(socket, 'data')) as [Buffer];
    expect(bytes.toString()).toContain('complete');
    await drained;
  });

  it('ConnectionRegistry: answers what has arrived on an idle connection, or on a new one, before it closes them', async () => {
    const request = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
    server.on('request', (_request, response) => response.end('complete'));
    socket.write(request);
    await once(socket, 'data');
    const fresh = connect((server.address() as AddressInfo).port, '127.0.0.1');
    await once(fresh, 'connect');

    const responses = Promise.all([socket, fresh].map((one) => once(one, 'data') as Promise<[Buffer]>));
    for (const one of [socket, fresh]) one.write(request);
    // The server has not read the requests yet when it drains, because all this happens in the same turn of the event
    // loop.
    const drained = registry.drain();
    for (const [bytes] of await responses) expect(bytes.toString()).toContain('complete');
    await drained;
  });
});
