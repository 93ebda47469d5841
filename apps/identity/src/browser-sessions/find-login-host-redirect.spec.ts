import { describe, expect, it } from '@jest/globals';
import { findLoginHostRedirect } from './find-login-host-redirect.js';

const urls = { PUBLIC_URL: 'https://api.example', authUrl: 'https://auth.example:8443' };
const originalUrl = '/oauth2/authorize?state=a%20b';
const asked = (host?: string, method = 'GET') => ({
  headers: host === undefined ? {} : { 'x-forwarded-host': host },
  method,
  originalUrl,
});

describe('the host where users log in', () => {
  it('is where a browser goes that came to the clients’ host', () => {
    expect(findLoginHostRedirect(asked('api.example'), urls)).toBe(`https://auth.example:8443${originalUrl}`);
  });

  it.each(['auth.example:8443', 'evil.example', 'api.example.evil.example', '', undefined])(
    'is not where one goes that came to %j',
    (host) => {
      expect(findLoginHostRedirect(asked(host), urls)).toBeUndefined();
    },
  );

  it('is not where a form goes, nor anybody while it is the only host', () => {
    expect(findLoginHostRedirect(asked('api.example', 'POST'), urls)).toBeUndefined();
    const same = { PUBLIC_URL: urls.PUBLIC_URL, authUrl: urls.PUBLIC_URL };
    expect(findLoginHostRedirect(asked('api.example'), same)).toBeUndefined();
  });
});
