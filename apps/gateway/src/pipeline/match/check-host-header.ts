import { badRequest } from '@app/common';
import type { NextFunction, Request, Response } from 'express';
import { countHeaders } from './count-headers.js';

/**
 * Requires exactly one Host header (RFC 9112 section 3.2). Node silently keeps the first of two, while a proxy in front
 * may have used the second.
 */
export function checkHostHeader(request: Request, response: Response, next: NextFunction): void {
  if (countHeaders(request.rawHeaders, 'host') === 1) {
    next();
    return;
  }
  // Closes the connection, because a proxy may read its other requests differently, too.
  response.setHeader('Connection', 'close');
  next(badRequest('host_invalid', 'The request must have exactly one Host header.'));
}
