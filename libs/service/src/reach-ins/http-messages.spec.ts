import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import express from 'express';
import { createExpressMessageClasses } from './http-messages.js';

describe('createExpressMessageClasses', () => {
  const app = express();
  const server = createServer(createExpressMessageClasses(app), app);

  afterEach(() => {
    server.close();
  });

  it('createExpressMessageClasses: creates messages with the prototypes and features of Express', async () => {
    const prototypes: unknown[] = [];
    server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
      prototypes.push(Object.getPrototypeOf(request), Object.getPrototypeOf(response));
    });
    app.post('/a', (request, response) => {
      prototypes.push(Object.getPrototypeOf(request), Object.getPrototypeOf(response));
      response
        .status(201)
        .json({ path: request.path, type: request.is('text/plain'), app: request.app === app });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}/a?b=c`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body: 'text',
    });
    expect(response.status).toBe(201);
    expect(await response.json()).toEqual({ path: '/a', type: 'text/plain', app: true });
    expect(prototypes).toHaveLength(4);
    expect(prototypes[2]).toBe(prototypes[0]);
    expect(prototypes[3]).toBe(prototypes[1]);
    expect(prototypes[0]).toBe(app.request);
  });
});
