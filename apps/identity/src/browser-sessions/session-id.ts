import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const SESSION_ID_PATTERN = /^[A-Za-z0-9_-]{43}$/;

/** 256 random bits. */
export const createSessionId = (): string => randomBytes(32).toString('base64url');

export const isSessionId = (text: string): boolean => SESSION_ID_PATTERN.test(text);

/** What a session is stored under. */
export const hashSessionId = (id: string): Buffer => createHash('sha256').update(id).digest();

/**
 * Proves that a form comes from a page of this session, also of one in which nobody is signed in yet. It follows from the
 * session's id, which no other site can read, and does not lead back to it.
 */
export const createCsrfToken = (id: string): string =>
  createHmac('sha256', id).update('gatehouse csrf token').digest('base64url');

export function isValidCsrfToken(id: string, token: unknown): boolean {
  const expected = Buffer.from(createCsrfToken(id));
  const given = Buffer.from(typeof token === 'string' ? token : '');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
