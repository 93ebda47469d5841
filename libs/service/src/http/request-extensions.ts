import type {} from 'express-serve-static-core';

declare module 'express-serve-static-core' {
  interface Request {
    requestId: string;
    /** The time at which the request's headers were read, by `performance.now()`. */
    receivedAt: number;
    /** The operation, for logs and metrics: the path may contain tokens. */
    operation?: string;
    /** The trace of the request. */
    traceId?: string;
    /** The authenticated client application. */
    clientId?: string;
  }
}
