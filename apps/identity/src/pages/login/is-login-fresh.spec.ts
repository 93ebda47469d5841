import { describe, expect, it } from '@jest/globals';
import { isLoginFresh } from './is-login-fresh.js';

const NOW = Date.parse('2026-11-20T12:00:00Z');
const HOUR = 3_600_000;
const request = { uid: 'request', reasons: ['no_session'] };
const login = { signedInFor: null, signedInAt: new Date(NOW - HOUR) };

describe('whether a login answers a request', () => {
  it('does when nothing more is asked for than a login', () => {
    expect(isLoginFresh(request, login, NOW)).toBe(true);
    expect(isLoginFresh({ ...request, reasons: ['other_user'] }, login, NOW)).toBe(true);
  });

  it('does within the age that is allowed, and no longer', () => {
    expect(isLoginFresh({ ...request, maxAge: 3_600 }, login, NOW)).toBe(true);
    expect(isLoginFresh({ ...request, maxAge: 3_599 }, login, NOW)).toBe(false);
    expect(isLoginFresh({ ...request, maxAge: 0 }, login, NOW)).toBe(false);
  });

  it.each(['login_prompt', 'id_token_hint', 'something new'])(
    'does not for %s, unless it was made for it',
    (reason) => {
      const asked = { ...request, reasons: ['no_session', reason] };
      expect(isLoginFresh(asked, { ...login, signedInAt: new Date(NOW) }, NOW)).toBe(false);
      expect(isLoginFresh(asked, { ...login, signedInFor: 'another' }, NOW)).toBe(false);
      expect(isLoginFresh(asked, { ...login, signedInFor: 'request' }, NOW)).toBe(true);
    },
  );
});
