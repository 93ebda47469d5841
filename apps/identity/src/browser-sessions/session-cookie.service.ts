import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { getHeader } from '@app/service';
import type { Response } from 'express';
import { PublicUrlsConfig } from '../common/identity.config.js';
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const SESSION_ID_PATTERN = /^[A-Za-z0-9_-]{43}$/;

/** Creates a session id of 256 random bits. */
export const createSessionId = (): string => randomBytes(32).toString('base64url');

const isSessionId = (text: string): boolean => SESSION_ID_PATTERN.test(text);

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

/**
 * The session cookie of the pages. Over https, the `__Host-` prefix keeps other hosts of the domain from setting it
 * (RFC 6265bis section 4.1.3.2). SameSite is Lax because applications redirect browsers here.
 */
@Injectable()
export class SessionCookieService {
  private readonly secure: boolean;
  private readonly name: string;

  constructor({ authUrl }: PublicUrlsConfig) {
    this.secure = authUrl.startsWith('https:');
    this.name = this.secure ? '__Host-gatehouse_session' : 'gatehouse_session';
  }

  /** Returns undefined for a duplicate cookie, too: another site may have set one of them. */
  read(request: Pick<IncomingMessage, 'headers'>): string | undefined {
    const pairs = (getHeader(request, 'cookie') ?? '').split(';').map((pair) => pair.trim());
    const values = pairs.filter((pair) => pair.startsWith(`${this.name}=`));
    const [value = ''] = values.map((pair) => pair.slice(this.name.length + 1));
    return values.length === 1 && isSessionId(value) ? value : undefined;
  }

  set(response: Response, sessionId: string): void {
    response.cookie(this.name, sessionId, this.attributes());
  }

  clear(response: Response): void {
    response.clearCookie(this.name, this.attributes());
  }

  private attributes() {
    return { path: '/', httpOnly: true, secure: this.secure, sameSite: 'lax' } as const;
  }
}
