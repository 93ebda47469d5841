import { badRequest } from '@app/common';

/**
 * Spellings that gateway and service could read as different paths: dot segments, empty segments, backslashes, and
 * the same percent-encoded (RFC 3986 section 6.2.2).
 */
const AMBIGUOUS = /\/\/|\/\.{1,2}(?:\/|$)|\\|%(?:2e|2f|5c|00)|[^\x21-\x7e]/i;

/** The path of a request target in origin form. @throws AppError 400 for one that could mean two things */
export function checkTarget(target: string): string {
  const query = target.indexOf('?');
  const path = query === -1 ? target : target.slice(0, query);
  if (!path.startsWith('/') || AMBIGUOUS.test(path)) {
    throw badRequest(
      'ambiguous_path',
      'The path must be in its plain form, without dot segments or encoded separators.',
    );
  }
  return path;
}
