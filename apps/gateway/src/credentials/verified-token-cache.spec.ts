import { beforeEach, describe, expect, it } from '@jest/globals';
import type { RevocationFeedSubscriber } from './revocation-feed-subscriber.js';
import type { RevokedTokenStore } from './revoked-token-store.js';
import type { TokenKeyCache } from './token-key-cache.js';
import { type VerifiedToken, VerifiedTokenCache } from './verified-token-cache.js';

const TOKEN: VerifiedToken = {
  id: 'jti',
  clientId: 'client_1',
  scopes: [],
  expiresAtMs: Date.now() + 3_600_000,
};

describe('VerifiedTokenCache', () => {
  let cache: VerifiedTokenCache;
  let verifications: number;

  beforeEach(() => {
    const revoked: Pick<RevokedTokenStore, 'onOmission' | 'isRevoked' | 'isRevokedAnywhere'> = {
      onOmission: () => undefined,
      isRevoked: () => false,
      isRevokedAnywhere: () => Promise.resolve(false),
    };
    cache = new VerifiedTokenCache(
      { isTrusted: true } as RevocationFeedSubscriber,
      revoked as RevokedTokenStore,
      { isTrusted: true, onKeyRemoved: () => undefined } as Partial<TokenKeyCache> as TokenKeyCache,
    );
    verifications = 0;
  });

  const verify = (authorization: string) =>
    cache.verifyOnce(authorization, () => {
      verifications += 1;
      return Promise.resolve(TOKEN);
    });

  it.each([
    ['Bearer aA.bB.cC', 'bEARER aA.bB.cC'],
    ['Ethereum aA.0xabCD', 'ethereum aA.0xABcd'],
  ])('VerifiedTokenCache: has one entry for %s and %s', async (first, second) => {
    await verify(first);
    expect(cache.get(second)).toBe(TOKEN);
    const both = await Promise.all([verify(`${first}1`), verify(`${second}1`)]);
    expect(both).toEqual([TOKEN, TOKEN]);
    expect(verifications).toBe(2);
  });

  it.each([
    ['Bearer aA.bB.cC', 'Bearer AA.bB.cC'],
    ['Bearer aA.bB.0xab', 'Bearer aA.bB.0xAB'],
    ['Bearer aA.bB.cC', 'AE aA.bB.cC'],
    ['Ethereum aA.0xab', 'Ethereum AA.0xab'],
  ])('VerifiedTokenCache: has an entry each for %s and %s', async (first, second) => {
    await verify(first);
    expect(cache.get(second)).toBeUndefined();
  });
});
