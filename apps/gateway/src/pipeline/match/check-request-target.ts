import { badRequest } from '@app/common';

/**
 * Paths that gateway and service could normalize differently (RFC 3986 section 6.2.2): with dot segments, empty segments,
 * a trailing slash, backslashes, or percent-encoded unreserved characters or separators.
 */
const AMBIGUOUS_PATH =
  /\/\/|\/\.{1,2}(?:\/|$)|.\/$|\\|%(?![0-9a-f]{2})|%(?:2[def]|3\d|[46][1-9a-f]|[57][0-9a]|5[cf]|7e|00)|[^\x21-\x7e]/i;

/** The path of a request target in origin form; undefined for an ambiguous one. */
export function parseRequestTarget(target: string): string | undefined {
  const query = target.indexOf('?');
  const path = query === -1 ? target : target.slice(0, query);
  return path.startsWith('/') && !AMBIGUOUS_PATH.test(path) ? path : undefined;
}

/** The path of a request target. @throws AppError 400 for an ambiguous one */
export function checkRequestTarget(target: string): string {
  const path = parseRequestTarget(target);
  if (path !== undefined) return path;
  throw badRequest(
    'path_invalid',
    'The path must be normalized, without dot segments or encoded separators.',
  );
}
