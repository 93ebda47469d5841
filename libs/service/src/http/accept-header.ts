import type { NextFunction, Request, Response } from 'express';

/** A quoted parameter value may contain commas and semicolons. An unclosed one ends with the header, so the scan is linear. */
const QUOTED_VALUE = /"(?:\\[^]|[^"\\])*(?:"|\\?$)/g;

/**
 * Drops every parameter of an `Accept` header except `q`. No media type here has parameters of its own, and those of
 * `application/json` mean nothing (RFC 8259 section 11), but negotiator, which Express and Koa use, matches
 * `application/json;charset=UTF-8` with nothing.
 */
export function dropMediaTypeParameters(accept: string): string {
  if (!accept.includes(';')) return accept;
  const mediaRanges = accept.replaceAll(QUOTED_VALUE, 'quoted').split(',');
  return mediaRanges.map(dropParameters).join(', ');
}

function dropParameters(mediaRange: string): string {
  const [type = '', ...parameters] = mediaRange.split(';').map((part) => part.trim());
  const quality = parameters.find((parameter) => /^q\s*=/i.test(parameter));
  return quality === undefined ? type : `${type};${quality}`;
}

/** Whether an `Accept` header names one of these media types itself, not only by `*`. */
export const namesMediaType = (accept: string, types: readonly string[]): boolean =>
  accept
    .split(',')
    .some((mediaRange) => types.includes((mediaRange.split(';')[0] ?? '').trim().toLowerCase()));

/** Whoever negotiates behind this middleware compares media types without their parameters. */
export function acceptMiddleware(request: Request, _response: Response, next: NextFunction): void {
  const { accept } = request.headers;
  if (accept !== undefined) request.headers.accept = dropMediaTypeParameters(accept);
  next();
}
