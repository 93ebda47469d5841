import { describe, expect, it } from '@jest/globals';
import { findLoginHostRedirect } from './find-login-host-redirect.js';

const urls = { PUBLIC_URL: 'https://api.example', authUrl: 'https://auth.example:8443' };
const originalUrl = '/oauth2/authorize?state=a%20b';
const requestTo = (host?: string, method = 'GET') => ({
  headers: host === undefined ? {} : { 'x-forwarded-host': host },
  method,
  originalUrl,
});

describe('findLoginHostRedirect', () => {
  it('findLoginHostRedirect: redirects a GET request at the API host to the login host', () => {
    expect(findLoginHostRedirect(requestTo('api.example'), urls)).toBe(
      `https://auth.example:8443${originalUrl}`,
    );
  });

  it.each(['auth.example:8443', 'evil.example', 'api.example.evil.example', '', undefined])(
    'findLoginHostRedirect: does not redirect a request at host %j',
    (host) => {
      expect(findLoginHostRedirect(requestTo(host), urls)).toBeUndefined();
    },
  );

  it('findLoginHostRedirect: redirects neither a POST request nor a request in a deployment with one host', () => {
    expect(findLoginHostRedirect(requestTo('api.example', 'POST'), urls)).toBeUndefined();
    const same = { PUBLIC_URL: urls.PUBLIC_URL, authUrl: urls.PUBLIC_URL };
    expect(findLoginHostRedirect(requestTo('api.example'), same)).toBeUndefined();
  });
});
