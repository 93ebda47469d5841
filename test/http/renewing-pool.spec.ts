import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { RenewingPool } from '@app/http';
import { until } from '../support/until.js';

describe('RenewingPool', () => {
  let server: Server;
  let connections: number;
  let held: ServerResponse[];
  let pool: RenewingPool;
  let secondsPassed: number;

  beforeEach(async () => {
    connections = 0;
    held = [];
    secondsPassed = 0;
    server = createServer(({ url }, response) =>
      url === '/held' ? held.push(response) : response.end('ok'),
    );
    server.on('connection', () => (connections += 1));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    pool = new RenewingPool(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { connections: 1 });
    const real = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => real() + secondsPassed * 1_000);
  });

  afterEach(async () => {
    jest.restoreAllMocks();
    await pool.destroy();
    server.close();
  });

  const request = async (path = '/'): Promise<string> => {
    const { body } = await pool.current.request({ path, method: 'GET' });
    return body.text();
  };

  it('RenewingPool: replaces a connection in constant use after a minute, and not before', async () => {
    await request();
    secondsPassed = 50;
    await request();
    expect(connections).toBe(1);
    secondsPassed = 61;
    await request();
    await request();
    expect(connections).toBe(2);
  });

  it('RenewingPool: answers requests of the earlier connection, those in progress and those that wait', async () => {
    const early = [request('/held'), request(), request()];
    await until('the first request has arrived', () => held.length === 1);
    secondsPassed = 61;
    await expect(request()).resolves.toBe('ok');
    held[0]?.end('late');
    await expect(Promise.all(early)).resolves.toEqual(['late', 'ok', 'ok']);
  });

  it('RenewingPool: waits in close for requests of the earlier connection', async () => {
    const early = request('/held');
    await until('the request has arrived', () => held.length === 1);
    secondsPassed = 61;
    await request();
    const closed = pool.close();
    held[0]?.end('late');
    await closed;
    await expect(early).resolves.toBe('late');
  });
});
