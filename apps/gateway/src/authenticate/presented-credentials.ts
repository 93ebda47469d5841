import type { Request } from 'express';
import { passOf } from '../gate-pass.js';

/** The value of `X-API-Key`; undefined when the header is not there at all. */
export function apiKeyOf(request: Request): string | undefined {
  const value = request.headers['x-api-key'];
  return typeof value === 'string' ? value : undefined;
}

/** The value of `Authorization`, unless it is meant for the operation itself: OAuth's own client authentication. */
export function authorizationOf(request: Request): string | undefined {
  const { authorization } = request.headers;
  if (authorization === undefined) return undefined;
  return passOf(request).operation?.forwards.includes('authorization') ? undefined : authorization;
}
