import { badRequest } from '@app/common';
import type { NextFunction, Request, Response } from 'express';
import { countHeaders } from './count-headers.js';

/**
 * A request has exactly one Host header (RFC 9112 section 3.2). Of two, node takes the first in silence, and whoever
 * stands in front of us may have taken the second.
 */
export function checkHostHeader(request: Request, response: Response, next: NextFunction): void {
  if (countHeaders(request.rawHeaders, 'host') === 1) {
    next();
    return;
  }
  // Whatever else this connection carries is as doubtful.
  response.setHeader('Connection', 'close');
  next(badRequest('host_invalid', 'A request has exactly one Host header.'));
}
