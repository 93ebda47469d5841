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

  it('ends a drain although a client keeps sending its body slowly', async () => {
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n');
    const sending = setInterval(() => socket.write('.'), 10);
    try {
      await once(server, 'request');
      await registry.drain();
    } finally {
      clearInterval(sending);
    }
  });

  it('waits for the response of a complete request for longer than the request timeout', async () => {
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    const [, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
    const drained = registry.drain();
    await sleep(200);
    response.end('complete');
    const [bytes] = (await once(socket, 'data')) as [Buffer];
    expect(bytes.toString()).toContain('complete');
    await drained;
  });
});
