import { createServer } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import express from 'express';
import { refuseBrokenRequest } from './refuse-broken-request.js';

export const HEADER_BYTES = 16 * 1024;
const HEADER_COUNT = 100;

/** Express behind an HTTP server that bounds sizes and times before any of our code runs. */
export class BoundedExpressAdapter extends ExpressAdapter {
  constructor() {
    const instance = express();
    instance.disable('x-powered-by');
    instance.disable('etag');
    instance.set('query parser', 'simple');
    super(instance);
  }

  override initHttpServer(): void {
    this.httpServer = createServer(
      {
        maxHeaderSize: HEADER_BYTES,
        headersTimeout: 10_000,
        requestTimeout: 14_000,
        connectionsCheckingInterval: 1_000,
        keepAliveTimeout: 65_000,
        // The gateway checks it itself, so that the answer is an envelope.
        requireHostHeader: false,
      },
      this.getInstance(),
    );
    this.httpServer.maxHeadersCount = HEADER_COUNT;
    this.httpServer.on('clientError', refuseBrokenRequest);
  }
}
