import { IncomingMessage, ServerResponse } from 'node:http';
import type { Express, Request, Response } from 'express';
import type { Duplex } from 'node:stream';

/** The property in which Node keeps the current response of a socket. */
interface ServerSocket extends Duplex {
  _httpMessage?: { headersSent: boolean } | null;
}

/**
 * Says whether a response has begun on the socket, so that an error of the parser must not write a second one. Node's own
 * handler of parser errors asks the same undocumented property, and no documented one tells it (Node 20 to 24).
 * https://github.com/nodejs/node/blob/v24.0.0/lib/_http_server.js
 */
export const hasBegunResponse = (socket: ServerSocket): boolean => socket._httpMessage?.headersSent ?? false;

/**
 * Classes for `http.createServer` whose instances have Express' prototypes from the start. Otherwise Express replaces the
 * prototype of each message, which deoptimizes V8 and keeps the request in memory until the next full garbage collection:
 * 45 of the 60 µs that Express 5.3.0 takes per request. https://github.com/expressjs/express/blob/v5.3.0/lib/express.js
 */
export function createExpressMessageClasses(app: Express) {
  class ExpressRequest extends IncomingMessage {}
  class ExpressResponse extends ServerResponse {}
  Object.setPrototypeOf(ExpressRequest.prototype, app.request);
  Object.setPrototypeOf(ExpressResponse.prototype, app.response);
  app.request = ExpressRequest.prototype as typeof app.request;
  app.response = ExpressResponse.prototype as typeof app.response;
  // The types of the classes do not know their prototypes.
  return {
    IncomingMessage: ExpressRequest as unknown as typeof IncomingMessage & (new () => Request),
    ServerResponse: ExpressResponse as unknown as typeof ServerResponse & (new () => Response),
  };
}
