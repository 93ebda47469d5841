import { badRequest } from '@app/common';

const MAX_FORM_FIELDS = 50;
/** A form with rows of fields. */
export const MAX_TABLE_FIELDS = 500;

const utf8 = new TextDecoder('utf-8', { fatal: true });

const reject = (path: string, message: string): never => {
  const reason = path === '' ? message : `${path}: ${message}`;
  throw badRequest('form_invalid', `The body is not a valid form: ${reason}.`, {
    issues: [{ path, message }],
  });
};

/** Percent-decodes a name or a value strictly; `+` is a space. */
function decode(text: string, path: string): string {
  try {
    const decoded = decodeURIComponent(text.replaceAll('+', ' '));
    return decoded.includes('\0') ? reject(path, 'must not hold a NUL character') : decoded;
  } catch (error) {
    if (error instanceof URIError) return reject(path, 'is not percent-encoded UTF-8');
    throw error;
  }
}

/** @throws AppError 400 `form_invalid` */
export function decodeFormText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return reject('', 'is not UTF-8');
  }
}

/**
 * Parses an application/x-www-form-urlencoded body. A field without a value counts as absent, and no field may be
 * repeated (RFC 6749 section 3.2).
 * @throws AppError 400 `form_invalid` with the name of the field
 */
export function parseForm(bytes: Uint8Array, maxFields = MAX_FORM_FIELDS): Record<string, string> {
  const fields = new Map<string, string>();
  const pairs = decodeFormText(bytes)
    .split('&')
    .filter((pair) => pair !== '');
  if (pairs.length > maxFields) reject('', `has more than ${maxFields} fields`);
  for (const pair of pairs) {
    const end = pair.includes('=') ? pair.indexOf('=') : pair.length;
    const name = decode(pair.slice(0, end), '');
    if (fields.has(name)) reject(name, 'must not be repeated');
    fields.set(name, decode(pair.slice(end + 1), name));
  }
  return Object.fromEntries([...fields].filter(([, value]) => value !== ''));
}
