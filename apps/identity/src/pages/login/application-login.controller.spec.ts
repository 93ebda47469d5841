import { describe, expect, it } from '@jest/globals';
import { isLoginFresh } from './application-login.controller.js';

const NOW = Date.parse('2026-11-20T12:00:00Z');
const HOUR = 3_600_000;
const request = { uid: 'request', reasons: ['no_session'] };
const login = { signedInFor: null, signedInAt: new Date(NOW - HOUR) };

describe('isLoginFresh', () => {
  it('isLoginFresh: accepts an earlier login if the request requires no new one', () => {
    expect(isLoginFresh(request, login, NOW)).toBe(true);
    expect(isLoginFresh({ ...request, reasons: ['other_user'] }, login, NOW)).toBe(true);
  });

  it('isLoginFresh: accepts a login within max_age only', () => {
    expect(isLoginFresh({ ...request, maxAge: 3_600 }, login, NOW)).toBe(true);
    expect(isLoginFresh({ ...request, maxAge: 3_599 }, login, NOW)).toBe(false);
    expect(isLoginFresh({ ...request, maxAge: 0 }, login, NOW)).toBe(false);
  });

  it.each(['login_prompt', 'id_token_hint', 'something new'])(
    'isLoginFresh: accepts only a login for the same request with the reason %s',
    (reason) => {
      const strict = { ...request, reasons: ['no_session', reason] };
      expect(isLoginFresh(strict, { ...login, signedInAt: new Date(NOW) }, NOW)).toBe(false);
      expect(isLoginFresh(strict, { ...login, signedInFor: 'another' }, NOW)).toBe(false);
      expect(isLoginFresh(strict, { ...login, signedInFor: 'request' }, NOW)).toBe(true);
    },
  );
});
