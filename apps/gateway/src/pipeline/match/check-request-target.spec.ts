import { describe, expect, it } from '@jest/globals';
import { checkRequestTarget } from './check-request-target.js';

describe('checkRequestTarget', () => {
  it.each([
    ['/account/me', '/account/me'],
    ['/a?x=/../b', '/a'],
    ['/asset-list/eip155:1:0xab', '/asset-list/eip155:1:0xab'],
    ['/a/..b', '/a/..b'],
    ['/a/%20', '/a/%20'],
  ])('checkRequestTarget: accepts %s', (target, path) => {
    expect(checkRequestTarget(target)).toBe(path);
  });

  it.each([
    'http://evil.example/account/me',
    '*',
    '',
    '//internal/credentials',
    '/account/../internal/credentials',
    '/account/..',
    '/account/.',
    '/account/%2e%2e/internal',
    '/account%2Fme',
    '/account\\me',
    '/account%5cme',
    '/account/%00',
    '/account/\u00e9',
    '/account/wallets/',
    '/access-control/%63heck-roles',
    '/account/%7Euser',
    '/account/%30',
    '/account/%zz',
    '/account/%4',
  ])('checkRequestTarget: rejects %s', (target) => {
    expect(() => checkRequestTarget(target)).toThrow(/normalized/);
  });
});
