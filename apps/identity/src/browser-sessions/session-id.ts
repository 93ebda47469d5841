import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const SESSION_ID_PATTERN = /^[A-Za-z0-9_-]{43}$/;

/** Creates a session id of 256 random bits. */
export const createSessionId = (): string => randomBytes(32).toString('base64url');

export const isSessionId = (text: string): boolean => SESSION_ID_PATTERN.test(text);

/** The session's key in the table. A fast hash suffices for random ids. */
export const hashSessionId = (id: string): Buffer => createHash('sha256').update(id).digest();

/**
 * Derives the CSRF token of a session, also of an anonymous one. Other sites cannot read the session id, and the token does
 * not reveal it.
 */
export const createCsrfToken = (id: string): string =>
  createHmac('sha256', id).update('gatehouse csrf token').digest('base64url');

export function isValidCsrfToken(id: string, token: unknown): boolean {
  const expected = Buffer.from(createCsrfToken(id));
  const given = Buffer.from(typeof token === 'string' ? token : '');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
