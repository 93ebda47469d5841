import type {} from 'express-serve-static-core';

declare module 'express-serve-static-core' {
  interface Request {
    requestId: string;
    /** What this request is called in logs and metrics: never its path, which can hold tokens. */
    operation?: string;
    /** The client application that it speaks for, once that is known. */
    clientId?: string;
  }
}
