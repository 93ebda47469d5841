import {
  type AppError,
  badRequest,
  requestHeaderFieldsTooLarge,
  requestTimeout,
  resolveRequestId,
  toErrorEnvelope,
} from '@app/common';
import { createServer, STATUS_CODES } from 'node:http';
import { StreamableFile } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type Express, type Request, type Response } from 'express';
import type { Duplex } from 'node:stream';
import { createExpressMessageClasses, hasBegunResponse } from '../reach-ins/http-messages.js';
import { ConnectionRegistry } from './connection-registry.js';
import { sendJson } from './send-json.js';

function toClientError(code: string | undefined): AppError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return requestHeaderFieldsTooLarge(
        'header_limit_exceeded',
        'The request headers are larger than 16 KiB.',
      );
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return requestTimeout('request_timeout', 'The request was not received in time.');
    default:
      return badRequest('http_request_invalid', 'This is not a well-formed HTTP/1.1 request.');
  }
}

/** Lets the response arrive: closing at once would reset a connection on which the client is still sending. */
const LINGER_MS = 1_000;

/** Responds to a request that Node's HTTP parser rejects with the error envelope, and closes the connection. */
function handleClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable || hasBegunResponse(socket)) {
    socket.destroy();
    return;
  }
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
  const failure = toClientError(error.code);
  const requestId = resolveRequestId(undefined);
  const body = JSON.stringify(toErrorEnvelope(failure, { requestId, withStack: false }));
  socket.end(
    [
      `HTTP/1.1 ${failure.statusCode} ${STATUS_CODES[failure.statusCode] ?? ''}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}

const MAX_HEADER_BYTES = 16 * 1024;
const MAX_HEADER_COUNT = 100;
const IDLE_CONNECTION_TIMEOUT_MS = 125_000;

/** A middleware that answers errors itself, or throws them: nothing of Express is there to take one from `next`. */
export type EarlyMiddleware = (request: Request, response: Response, next: () => void) => void;

export type AnswerFailure = (error: unknown, request: Request, response: Response) => void;

/** Express on an HTTP server with limits for header sizes and times. */
export class BoundedExpressAdapter extends ExpressAdapter {
  private connections: ConnectionRegistry | undefined;
  private handleRequest: (request: Request, response: Response) => void;

  constructor() {
    const instance = express();
    instance.disable('x-powered-by');
    instance.disable('etag');
    instance.set('query parser', 'simple');
    // The gateway matches paths exactly, too.
    instance.enable('case sensitive routing');
    instance.enable('strict routing');
    super(instance);
    this.handleRequest = instance;
  }

  /**
   * Lets requests pass middlewares, in this order, before Express gets them: Express takes 2 µs for each of its own.
   * @param fail answers what a middleware has thrown
   */
  useBeforeExpress(middlewares: readonly EarlyMiddleware[], fail: AnswerFailure): void {
    const handle = middlewares.reduceRight<(request: Request, response: Response) => void>(
      (next, middleware) => (request, response) => {
        middleware(request, response, () => {
          next(request, response);
        });
      },
      this.getInstance<Express>(),
    );
    this.handleRequest = (request, response) => {
      try {
        handle(request, response);
      } catch (error) {
        fail(error, request, response);
      }
    };
  }

  /**
   * Writes JSON in one piece, without Express' content negotiation. Ignores `statusCode`: Nest sets it before the handler
   * runs, and the handler may change it.
   */
  override reply(response: Response, body: unknown, statusCode?: number): unknown {
    if (typeof body !== 'object' || body === null || body instanceof StreamableFile) {
      return super.reply(response, body, statusCode) as unknown;
    }
    sendJson(response, body);
    return response;
  }

  /** Stops listening, and resolves when all running requests are answered. */
  async drain(): Promise<void> {
    await this.connections?.drain();
  }

  override initHttpServer(): void {
    this.httpServer = createServer(
      {
        ...createExpressMessageClasses(this.getInstance<Express>()),
        maxHeaderSize: MAX_HEADER_BYTES,
        headersTimeout: 10_000,
        requestTimeout: 14_000,
        connectionsCheckingInterval: 1_000,
        keepAliveTimeout: 65_000,
        // The gateway checks the Host header itself, to respond with the error envelope.
        requireHostHeader: false,
      },
      (request, response) => {
        this.handleRequest(request, response);
      },
    );
    this.httpServer.maxHeadersCount = MAX_HEADER_COUNT;
    this.httpServer.timeout = IDLE_CONNECTION_TIMEOUT_MS;
    this.connections = new ConnectionRegistry(this.httpServer);
    this.httpServer.on('clientError', handleClientError);
  }
}
