import type { Operation } from '@app/openapi';
import type { Request } from 'express';
import type { AuthenticatedCaller } from './credentials/authenticated-caller.js';

/** What the gateway's steps have found out about a request so far. */
export interface RequestContext {
  /** Of the contract; undefined where there is none for this method and path. */
  operation?: Operation;
  caller?: AuthenticatedCaller;
}

declare module 'express-serve-static-core' {
  interface Request {
    requestContext?: RequestContext;
  }
}

export const getRequestContext = (request: Request): RequestContext => (request.requestContext ??= {});

/** The operation of a request that has passed the match step. */
export function getMatchedOperation(request: Request): Operation {
  const { operation } = getRequestContext(request);
  if (!operation) throw new Error('The match step has not run');
  return operation;
}
