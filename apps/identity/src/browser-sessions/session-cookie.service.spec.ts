import { describe, expect, it } from '@jest/globals';
import type { CookieOptions, Request, Response } from 'express';
import type { PublicUrlsConfig } from '../common/identity.config.js';
import { SessionCookieService, createSessionId } from './session-cookie.service.js';

const cookieAt = (authUrl: string) => new SessionCookieService({ authUrl } as PublicUrlsConfig);
const requestWith = (cookie?: string) => ({ headers: { cookie } }) as Request;

describe('SessionCookieService', () => {
  it('SessionCookieService: sets a host-bound cookie over https', () => {
    const set: [string, CookieOptions][] = [];
    const response = {
      cookie: (name: string, _: string, options: CookieOptions) => set.push([name, options]),
    } as unknown as Response;
    cookieAt('https://auth.example').set(response, createSessionId());
    cookieAt('http://localhost:3000').set(response, createSessionId());
    const flags = { path: '/', httpOnly: true, sameSite: 'lax' };
    expect(set).toEqual([
      ['__Host-gatehouse_session', { ...flags, secure: true }],
      ['gatehouse_session', { ...flags, secure: false }],
    ]);
  });

  it('SessionCookieService: reads the session id among other cookies, and none if the cookie appears twice', () => {
    const cookie = cookieAt('https://auth.example');
    const [one, two] = [createSessionId(), createSessionId()];
    const name = '__Host-gatehouse_session';
    expect(cookie.read(requestWith(`a=1; ${name}=${one};b=2`))).toBe(one);
    expect(cookie.read(requestWith(`${name}=${one}; ${name}=${two}`))).toBeUndefined();
    expect(cookie.read(requestWith(`gatehouse_session=${one}`))).toBeUndefined();
    expect(cookie.read(requestWith(`${name}=${one}x`))).toBeUndefined();
    expect(cookie.read(requestWith())).toBeUndefined();
  });
});
