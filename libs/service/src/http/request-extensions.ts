import type {} from 'express-serve-static-core';

declare module 'express-serve-static-core' {
  interface Request {
    requestId: string;
    /** When its headers were read, by `performance.now()`. */
    receivedAt: number;
    /** For logs and metrics, instead of the path, which may contain tokens. */
    operation?: string;
    /** Where the request is traced. */
    traceId?: string;
    /** The authenticated client application. */
    clientId?: string;
  }
}
