import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RenewingPool } from './renewing-pool.js';

const MINUTE_MS = 60_000;

describe('RenewingPool', () => {
  let server: Server;
  let connections = 0;
  let pool: RenewingPool;
  /** What the clock says. */
  let laterMs = 0;

  beforeEach(async () => {
    connections = 0;
    laterMs = 0;
    server = createServer((_request, response) => response.end('ok'));
    server.on('connection', () => (connections += 1));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    pool = new RenewingPool(`http://127.0.0.1:${port}`, { connections: 1 }, () => laterMs);
  });

  afterEach(async () => {
    await pool.destroy();
    server.closeAllConnections();
    server.close();
  });

  const request = async (): Promise<string> => {
    const { body } = await pool.current.request({ method: 'GET', path: '/' });
    return body.text();
  };

  it('RenewingPool: keeps its connection for a minute, then opens another one', async () => {
    await request();
    laterMs = MINUTE_MS - 5_000;
    await request();
    expect(connections).toBe(1);
    laterMs = MINUTE_MS + 1;
    await request();
    expect(connections).toBe(2);
  });

  it('RenewingPool: ends requests on the earlier connection that are not finished', async () => {
    let respond = (): void => undefined;
    server.removeAllListeners('request');
    server.once('request', (_request, response) => (respond = () => response.end('late')));
    const late = request();
    await once(server, 'request');
    server.on('request', (_request, response) => response.end('ok'));
    laterMs = MINUTE_MS + 1;
    expect(await request()).toBe('ok');
    respond();
    expect(await late).toBe('late');
  });
});
