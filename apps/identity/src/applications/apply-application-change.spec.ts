import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ClientApplication } from './entities/client-application.entity.js';
import { applyApplicationChange } from './apply-application-change.js';

const uris = fc.uniqueArray(fc.integer({ min: 1, max: 9 }).map((n) => `https://shop.example/${String(n)}`));

const approvedWith = (lists: Partial<ClientApplication>): ClientApplication =>
  ({
    name: 'Shop',
    iconUrl: null,
    redirectUris: ['https://shop.example/a', 'https://shop.example/b'],
    origins: ['https://shop.example', 'https://www.shop.example'],
    implicit: false,
    idTokenAlg: 'RS256',
    requestedScopes: ['user:read', 'token-gating'],
    approvedScopes: ['user:read', 'token-gating'],
    status: 'approved',
    rejectionReason: null,
    ...lists,
  }) as ClientApplication;

describe('applyApplicationChange', () => {
  it('ignores the order of lists', () => {
    const before = approvedWith({});
    const { details, record } = applyApplicationChange(before, {
      name: 'Shop',
      redirectUris: [...before.redirectUris].reverse(),
      origins: [...before.origins].reverse(),
      scopes: ['token-gating', 'user:read'],
    });
    expect(details).toEqual({});
    expect(record.status).toBe('approved');
  });

  it.each([
    [{ redirectUris: ['https://shop.example/a'] }],
    [{ redirectUris: ['https://shop.example/a', 'https://shop.example/c'] }],
    [{ origins: [] }],
    [{ name: 'shop' }],
    [{ iconUrl: 'https://shop.example/icon.png' }],
  ])('sends an approved application back to approval: %j', (change) => {
    const { details, record } = applyApplicationChange(approvedWith({}), change);
    expect(details).toEqual(change);
    expect(record).toMatchObject({ ...change, status: 'pending', approvedScopes: ['user:read'] });
  });

  it('detects a change of redirect URIs exactly when the sets differ', () => {
    fc.assert(
      fc.property(uris, uris, (before, after) => {
        const { details, record } = applyApplicationChange(approvedWith({ redirectUris: before }), {
          redirectUris: after,
        });
        const isSame = before.length === after.length && before.every((uri) => after.includes(uri));
        expect('redirectUris' in details).toBe(!isSame);
        expect(record.status).toBe(isSame ? 'approved' : 'pending');
      }),
    );
  });
});
