import type { IncomingHttpHeaders } from 'undici/types/header.js';
import type { Response } from 'express';

/** What comes back from a service; whatever else it says stays between us. */
const RETURNED = [
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-length',
  'content-type',
  'etag',
  'last-modified',
  'link',
  'location',
  'preference-applied',
  'retry-after',
  'vary',
  'www-authenticate',
] as const;

export function setResponseHeaders(response: Response, headers: IncomingHttpHeaders): void {
  for (const name of RETURNED) {
    const value = headers[name];
    if (value !== undefined) response.setHeader(name, value);
  }
}
