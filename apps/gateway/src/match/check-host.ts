import { badRequest } from '@app/common';
import type { NextFunction, Request, Response } from 'express';

/**
 * A request has exactly one Host header (RFC 9112 section 3.2). Of two, node takes the first in silence, and whoever
 * stands in front of us may have taken the second.
 */
export function checkHost(request: Request, response: Response, next: NextFunction): void {
  if (countHosts(request.rawHeaders) === 1) {
    next();
    return;
  }
  // Whatever else this connection carries is as doubtful.
  response.setHeader('Connection', 'close');
  next(badRequest('not_one_host', 'A request has exactly one Host header.'));
}

function countHosts(rawHeaders: readonly string[]): number {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts;
}
