import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { toAllCredentialsId, type CredentialChanges, type RevokedToken } from '@app/dto';
import fc from 'fast-check';
import type { RevocationFeedSubscriber } from './revocation-feed-subscriber.js';
import { RevokedTokenStore } from './revoked-token-store.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = Date.parse('2026-11-20T12:00:00Z');

/** A feed that says what a test wants. */
function revokedTokens() {
  const listeners: Parameters<RevocationFeedSubscriber['onChanges']>[0][] = [];
  const feed: Pick<RevocationFeedSubscriber, 'onChanges'> = {
    onChanges: (listener) => listeners.push(listener),
  };
  const revoked = new RevokedTokenStore(feed as RevocationFeedSubscriber);
  const changes: CredentialChanges = {
    last: 1,
    hasMore: false,
    truncated: false,
    clientIds: [],
    revoked: [],
  };
  const tell = (told: RevokedToken[], all?: RevokedToken[]) => {
    for (const listener of listeners) listener({ ...changes, revoked: told }, all);
  };
  return { tell, has: (id: string) => revoked.isRevoked({ id, clientId: 'client_1' }), revoked };
}

describe('revoked tokens', () => {
  beforeEach(() => {
    jest.useFakeTimers({ now: START });
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  it('are those of the list and those that the feed tells of', () => {
    const { tell, has } = revokedTokens();
    tell([{ id: 'one', expiresAtMs: START + HOUR }], [{ id: 'two', expiresAtMs: START + MINUTE }]);
    expect(['one', 'two', 'three'].map(has)).toEqual([true, true, false]);
  });

  it('are dead for as long as anybody said, and then forgotten', () => {
    const entry = fc.record({ id: fc.constantFrom('a', 'b', 'c'), at: fc.integer({ min: 1, max: 120 }) });
    fc.assert(
      fc.property(fc.array(fc.tuple(entry, fc.boolean(), fc.nat(20))), (said) => {
        jest.setSystemTime(START);
        const { tell, has } = revokedTokens();
        const ends = new Map<string, number>();
        for (const [{ id, at }, isListed, minutes] of said) {
          const token = { id, expiresAtMs: START + at * MINUTE };
          if (isListed) tell([], [token]);
          else tell([token]);
          ends.set(id, Math.max(token.expiresAtMs, ends.get(id) ?? 0));
          jest.setSystemTime(Date.now() + minutes * MINUTE);
          for (const [known, end] of ends) if (end > Date.now()) expect(has(known)).toBe(true);
        }
        jest.setSystemTime(START + 3 * HOUR);
        tell([]);
        expect(['a', 'b', 'c'].some(has)).toBe(false);
      }),
    );
  });

  describe('with all that a user signed for a client application', () => {
    const credential = (id: string, clientId: string, credentialEndsAtMs: number) => ({
      id: 'nonce',
      clientId,
      user: { id },
      credentialEndsAtMs,
    });

    it('are the credentials that end no later', () => {
      const { tell, revoked } = revokedTokens();
      const until = START + 24 * HOUR;
      tell([{ id: toAllCredentialsId('user_1', 'client_1'), expiresAtMs: until }]);
      expect(revoked.isRevoked(credential('user_1', 'client_1', until - 1))).toBe(true);
      expect(revoked.isRevoked(credential('user_1', 'client_1', until))).toBe(true);
      expect(revoked.isRevoked(credential('user_1', 'client_1', until + 1))).toBe(false);
      expect(revoked.isRevoked(credential('user_2', 'client_1', until))).toBe(false);
      expect(revoked.isRevoked(credential('user_1', 'client_2', until))).toBe(false);
      // Tokens are ended one by one.
      expect(revoked.isRevoked({ id: 'jti', clientId: 'client_1', user: { id: 'user_1' } })).toBe(false);
    });
  });
});
