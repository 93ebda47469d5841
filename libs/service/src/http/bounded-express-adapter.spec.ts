import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import {
  type AnswerFailure,
  BoundedExpressAdapter,
  type EarlyMiddleware,
} from './bounded-express-adapter.js';

async function ask(middlewares: readonly EarlyMiddleware[], fail: AnswerFailure): Promise<Response> {
  const adapter = new BoundedExpressAdapter();
  adapter.initHttpServer();
  adapter.useBeforeExpress(middlewares, fail);
  const server = adapter.getHttpServer() as Server;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

describe('BoundedExpressAdapter', () => {
  it('useBeforeExpress: has what a middleware throws answered, and runs none after it', async () => {
    const passed: string[] = [];
    const middlewares: EarlyMiddleware[] = [
      (_request, _response, next) => {
        passed.push('first');
        next();
      },
      () => {
        throw new Error('Expected failure');
      },
      () => passed.push('third'),
    ];
    const response = await ask(middlewares, (error, _request, answer) => {
      answer.statusCode = 500;
      answer.end(String(error));
    });
    expect([response.status, passed]).toEqual([500, ['first']]);
  });
});
