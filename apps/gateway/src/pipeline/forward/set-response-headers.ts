import type { IncomingHttpHeaders } from 'node:http';
import { PAGE_RETURNED_HEADERS, RETURNED_HEADERS } from '@app/openapi';
import type { Response } from 'express';
import { type Destination, isBrowserDestination } from './destination.js';

export type HeaderNames = readonly string[];

export const getReturnedHeaders = (destination: Destination): HeaderNames =>
  isBrowserDestination(destination) ? PAGE_RETURNED_HEADERS : RETURNED_HEADERS;

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
