import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { MetricsService, type ServiceContext } from '@app/service';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Request, Response } from 'express';
import type { LoadMonitor } from '../admit/load-monitor.js';
import { RequestBodyReader } from './request-body-reader.js';

const HEAD = 'POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n';

describe('RequestBodyReader', () => {
  let server: Server;
  /** How many requests gave back their place while their bodies arrived. */
  let released: number;
  let reader: RequestBodyReader;

  beforeEach(async () => {
    released = 0;
    const load = {
      release: () => (released += 1),
      admit: () => undefined,
    } as unknown as LoadMonitor;
    reader = new RequestBodyReader(load, { metrics: new MetricsService('gateway') } as ServiceContext);
    server = createServer((request, response) => void answer(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterEach(() => {
    server.close();
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await reader.read(request as Request, response as Response, 'tenant').catch(String);
    response.end(`body: ${String(body)}`);
  }

  /** Sends parts, each after what came before it was read. @returns the body of the response */
  async function send(...parts: string[]): Promise<string | undefined> {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.setNoDelay(true);
    const closed = once(socket, 'close');
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString()));
    for (const part of parts) {
      socket.write(part);
      await sleep(30);
    }
    await closed;
    return /body: (.*)/s.exec(text)?.[1];
  }

  it('RequestBodyReader: takes a body that came with its headers at once, also one without a length', async () => {
    expect(await send(`${HEAD}Content-Length: 4\r\n\r\nabcd`)).toBe('abcd');
    expect(await send(`${HEAD}Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n2\r\ncd\r\n0\r\n\r\n`)).toContain(
      'abcd',
    );
    expect(released).toBe(0);
  });

  it('RequestBodyReader: gives back the place of a request whose body is still on its way', async () => {
    expect(await send(`${HEAD}Content-Length: 4\r\n\r\n`, 'ab', 'cd')).toBe('abcd');
    expect(released).toBe(1);
  });

  it('RequestBodyReader: requests of one turn of the event loop do not wait for each other', async () => {
    const whole = `${HEAD}Content-Length: 4\r\n\r\nabcd`;
    const bodies = await Promise.all([
      send(whole),
      send(`${HEAD}Content-Length: 4\r\n\r\n`, 'efgh'),
      send(whole),
    ]);
    expect(bodies).toEqual(['abcd', 'efgh', 'abcd']);
    expect(released).toBe(1);
  });
});
