import { badRequest } from '@app/common';

const MAX_FORM_FIELDS = 50;

const utf8 = new TextDecoder('utf-8', { fatal: true });

const refuse = (path: string, message: string): never => {
  const place = path === '' ? message : `${path}: ${message}`;
  throw badRequest('form_invalid', `The body is not an acceptable form: ${place}.`, {
    issues: [{ path, message }],
  });
};

/** Percent-decodes a name or a value strictly; `+` is a space. */
function decode(text: string, path: string): string {
  try {
    const decoded = decodeURIComponent(text.replaceAll('+', ' '));
    return decoded.includes('\0') ? refuse(path, 'must not hold a NUL character') : decoded;
  } catch (error) {
    if (error instanceof URIError) return refuse(path, 'is not percent-encoded UTF-8');
    throw error;
  }
}

function decodeText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return refuse('', 'is not UTF-8');
  }
}

/**
 * Reads an application/x-www-form-urlencoded body. A field without a value counts as absent and none may come twice
 * (RFC 6749 section 3.2).
 * @throws AppError 400 `form_invalid` that names the field
 */
export function parseForm(bytes: Uint8Array): Record<string, string> {
  const fields = new Map<string, string>();
  const pairs = decodeText(bytes)
    .split('&')
    .filter((pair) => pair !== '');
  if (pairs.length > MAX_FORM_FIELDS) refuse('', `has more than ${MAX_FORM_FIELDS} fields`);
  for (const pair of pairs) {
    const end = pair.includes('=') ? pair.indexOf('=') : pair.length;
    const name = decode(pair.slice(0, end), '');
    if (fields.has(name)) refuse(name, 'is there twice');
    fields.set(name, decode(pair.slice(end + 1), name));
  }
  return Object.fromEntries([...fields].filter(([, value]) => value !== ''));
}
