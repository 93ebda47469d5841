import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import express from 'express';
import { createExpressMessageClasses } from './express-message-classes.js';

describe('requests and responses of an Express application', () => {
  const app = express();
  const server = createServer(createExpressMessageClasses(app), app);

  afterEach(() => {
    server.close();
  });

  it('are Express’ own before it sees them, and do what Express promises', async () => {
    const before: unknown[] = [];
    server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
      before.push(Object.getPrototypeOf(request), Object.getPrototypeOf(response));
    });
    app.post('/a', (request, response) => {
      before.push(Object.getPrototypeOf(request), Object.getPrototypeOf(response));
      response
        .status(201)
        .json({ path: request.path, type: request.is('text/plain'), app: request.app === app });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const answer = await fetch(`http://127.0.0.1:${port}/a?b=c`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body: 'text',
    });
    expect(answer.status).toBe(201);
    expect(await answer.json()).toEqual({ path: '/a', type: 'text/plain', app: true });
    expect(before).toHaveLength(4);
    expect(before[2]).toBe(before[0]);
    expect(before[3]).toBe(before[1]);
    expect(before[0]).toBe(app.request);
  });
});
