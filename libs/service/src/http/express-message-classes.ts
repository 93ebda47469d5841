import { IncomingMessage, ServerResponse } from 'node:http';
import type { Express } from 'express';

/**
 * What node's HTTP server has to make for an Express application: requests and responses that are Express' own from their
 * birth. Express gives each of them another prototype otherwise, and V8 a hidden class of its own with it, which nothing is
 * optimized for and which keeps the whole request in memory until the next full collection: 45 of the 60 µs that Express
 * takes for a request.
 */
export function createExpressMessageClasses(app: Express) {
  class ExpressRequest extends IncomingMessage {}
  class ExpressResponse extends ServerResponse {}
  Object.setPrototypeOf(ExpressRequest.prototype, app.request);
  Object.setPrototypeOf(ExpressResponse.prototype, app.response);
  app.request = ExpressRequest.prototype as typeof app.request;
  app.response = ExpressResponse.prototype as typeof app.response;
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
}
