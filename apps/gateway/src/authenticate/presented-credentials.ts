import type { Request } from 'express';

/** The value of `X-API-Key`; undefined when the header is not there at all. */
export function apiKeyOf(request: Request): string | undefined {
  const value = request.headers['x-api-key'];
  return typeof value === 'string' ? value : undefined;
}

/** The value of `Authorization`. */
export const authorizationOf = (request: Request): string | undefined => request.headers.authorization;
