import type { IncomingHttpHeaders } from 'node:http';
import type { Response } from 'express';
import { type Destination, isBrowserDestination } from './destination.js';

/** Response headers that clients get from a service; others are dropped. */
const RETURNED_HEADERS = [
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-length',
  'content-security-policy',
  'content-type',
  'etag',
  'x-data-until',
  'last-modified',
  'link',
  'location',
  'preference-applied',
  'referrer-policy',
  'retry-after',
  'vary',
  'www-authenticate',
  'x-content-type-options',
  'x-frame-options',
  'x-robots-tag',
] as const;

/** Response headers of pages: also session cookies and security headers. */
const BROWSER_RETURNED_HEADERS = [
  ...RETURNED_HEADERS,
  'clear-site-data',
  'cross-origin-embedder-policy',
  'cross-origin-opener-policy',
  'cross-origin-resource-policy',
  'permissions-policy',
  'set-cookie',
  'strict-transport-security',
] as const;

export type HeaderNames = readonly string[];

export const getReturnedHeaders = (destination: Destination): HeaderNames =>
  isBrowserDestination(destination) ? BROWSER_RETURNED_HEADERS : RETURNED_HEADERS;

export function setResponseHeaders(
  response: Response,
  headers: IncomingHttpHeaders,
  returned: HeaderNames,
): void {
  for (const name of returned) {
    const value = headers[name];
    if (value !== undefined) response.setHeader(name, value);
  }
}
