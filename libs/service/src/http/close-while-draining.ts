import type { NextFunction, Request, Response } from 'express';
import type { Readiness } from '../management/readiness.js';

/** Tells callers with each answer that this connection is the last of its kind, so that none is cut in use. */
export function closeWhileDraining(readiness: Readiness) {
  return (_request: Request, response: Response, next: NextFunction): void => {
    if (readiness.isDraining) response.setHeader('Connection', 'close');
    next();
  };
}
