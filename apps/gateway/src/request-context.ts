import type { AppError } from '@app/common';
import type { Operation } from '@app/openapi';
import type { Request } from 'express';
import type { AuthenticatedCaller } from './credentials/authenticated-caller.js';

/** What the steps of the pipeline share about one request. */
export interface RequestContext {
  /** Undefined when no operation of the OpenAPI document has this method and path. */
  operation?: Operation;
  /** Whether the match step has looked for the operation. */
  isMatched?: true;
  caller?: AuthenticatedCaller;
  /** Takes the request off the limit of its address: its key turned out to be valid. */
  giveBackToAddress?: () => void;
  /** Two spellings of a header have different values. */
  aliasConflict?: AppError;
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
