import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import express from 'express';

/**
 * Serves requests with Express as lean as it gets: nothing is switched on, and messages have Express' prototypes from the start. Express
 * would replace the prototype of each message, which costs more than everything else that it does.
 * @param {import('express').RequestHandler} handler of all requests
 */
export function serveLeanExpress(handler) {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.use(handler);
  class Request extends IncomingMessage {}
  /** @extends {ServerResponse<Request>} */
  class Response extends ServerResponse {}
  Object.setPrototypeOf(Request.prototype, app.request);
  Object.setPrototypeOf(Response.prototype, app.response);
  Object.assign(app, { request: Request.prototype, response: Response.prototype });
  const server = createServer({ IncomingMessage: Request, ServerResponse: Response }, app);
  server.keepAliveTimeout = 60_000;
  server.listen(Number(process.env.PORT), '127.0.0.1', () => process.send?.('ready'));
}

/**
 * @param {import('express').Request} request
 * @param {(body: Buffer) => void} use gets the whole body
 */
export function readWhole(request, use) {
  /** @type {Buffer[]} */
  const chunks = [];
  request.on('data', (/** @type {Buffer} */ chunk) => chunks.push(chunk));
  request.on('end', () => {
    const [only] = chunks;
    use(chunks.length === 1 && only ? only : Buffer.concat(chunks));
  });
}
