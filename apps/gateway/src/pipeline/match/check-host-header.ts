import { badRequest } from '@app/common';
import type { Request, Response } from 'express';

/** Counts a header by its lower-case name. `request.headers` keeps only the first of some repeated headers. */
export function countHeaders(rawHeaders: readonly string[], wanted: string): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === wanted.length && name.toLowerCase() === wanted) count += 1;
  }
  return count;
}

/**
 * Requires exactly one Host header (RFC 9112 section 3.2). Node silently keeps the first of two, while a proxy in front
 * may have used the second.
 * @throws AppError 400
 */
export function checkHostHeader(request: Request, response: Response): void {
  if (countHeaders(request.rawHeaders, 'host') === 1) return;
  // Closes the connection, because a proxy may read its other requests differently, too.
  response.setHeader('Connection', 'close');
  throw badRequest('host_invalid', 'The request must have exactly one Host header.');
}
