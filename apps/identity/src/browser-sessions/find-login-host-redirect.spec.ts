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

  it('findLoginHostRedirect: redirects a HEAD request as it does GET', () => {
    expect(findLoginHostRedirect(requestTo('api.example', 'HEAD'), urls)).toBe(
      `https://auth.example:8443${originalUrl}`,
    );
  });

  it.each([
    ['http://localhost:4000', '127.0.0.1:4000'],
    ['http://localhost:4000', '[::1]:4000'],
    ['http://127.0.0.1:4000', 'localhost:4000'],
    ['http://localhost', '127.0.0.1'],
  ])('findLoginHostRedirect: redirects to the login host %s of this machine from %s', (authUrl, host) => {
    expect(findLoginHostRedirect(requestTo(host), { PUBLIC_URL: authUrl, authUrl })).toBe(
      authUrl + originalUrl,
    );
  });

  it.each([
    ['http://localhost:4000', '127.0.0.1:4001'],
    ['http://localhost:4000', '127.0.0.2:4000'],
    ['http://localhost:4000', 'localhost:4000'],
    ['https://auth.example', '127.0.0.1'],
    ['https://localhost.example', 'localhost'],
  ])('findLoginHostRedirect: does not redirect to the login host %s from %s', (authUrl, host) => {
    expect(findLoginHostRedirect(requestTo(host), { PUBLIC_URL: authUrl, authUrl })).toBeUndefined();
  });

  it('findLoginHostRedirect: redirects neither a POST request nor a request in a deployment with one host', () => {
    expect(findLoginHostRedirect(requestTo('api.example', 'POST'), urls)).toBeUndefined();
    const same = { PUBLIC_URL: urls.PUBLIC_URL, authUrl: urls.PUBLIC_URL };
    expect(findLoginHostRedirect(requestTo('api.example'), same)).toBeUndefined();
  });
});
