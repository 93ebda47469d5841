import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { toAllCredentialsId, type CredentialChanges, type RevokedToken } from '@app/dto';
import fc from 'fast-check';
import type { RevocationFeedSubscriber } from './revocation-feed-subscriber.js';
import { RevokedTokenStore } from './revoked-token-store.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = Date.parse('2026-11-20T12:00:00Z');

/** A store behind a scripted feed. */
function createStore() {
  const listeners: Parameters<RevocationFeedSubscriber['onChanges']>[0][] = [];
  const feed: Pick<RevocationFeedSubscriber, 'onChanges'> = {
    onChanges: (listener) => listeners.push(listener),
  };
  const store = new RevokedTokenStore(feed as RevocationFeedSubscriber);
  const changes: CredentialChanges = {
    last: 1,
    hasMore: false,
    truncated: false,
    clientIds: [],
    revoked: [],
  };
  const publish = (revoked: RevokedToken[], all?: RevokedToken[]) => {
    for (const listener of listeners) listener({ ...changes, revoked }, all);
  };
  return { publish, has: (id: string) => store.isRevoked({ id, clientId: 'client_1' }), store };
}

describe('RevokedTokenStore', () => {
  beforeEach(() => {
    jest.useFakeTimers().setSystemTime(START);
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  it('has the tokens of the full list and of the feed', () => {
    const { publish, has } = createStore();
    publish([{ id: 'one', expiresAtMs: START + HOUR }], [{ id: 'two', expiresAtMs: START + MINUTE }]);
    expect(['one', 'two', 'three'].map(has)).toEqual([true, true, false]);
  });

  it('keeps a token until the latest expiry that was published, then removes it', () => {
    const entry = fc.record({ id: fc.constantFrom('a', 'b', 'c'), at: fc.integer({ min: 1, max: 120 }) });
    fc.assert(
      fc.property(fc.array(fc.tuple(entry, fc.boolean(), fc.nat(20))), (entries) => {
        jest.setSystemTime(START);
        const { publish, has } = createStore();
        const expiries = new Map<string, number>();
        for (const [{ id, at }, isListed, minutes] of entries) {
          const token = { id, expiresAtMs: START + at * MINUTE };
          if (isListed) publish([], [token]);
          else publish([token]);
          expiries.set(id, Math.max(token.expiresAtMs, expiries.get(id) ?? 0));
          jest.setSystemTime(Date.now() + minutes * MINUTE);
          for (const [known, expiry] of expiries) if (expiry > Date.now()) expect(has(known)).toBe(true);
        }
        jest.setSystemTime(START + 3 * HOUR);
        publish([]);
        expect(['a', 'b', 'c'].some(has)).toBe(false);
      }),
    );
  });

  describe('all credentials of a user for a client application', () => {
    const credential = (id: string, clientId: string, credentialExpiresAtMs: number) => ({
      id: 'nonce',
      clientId,
      user: { id },
      credentialExpiresAtMs,
    });

    it('revokes the credentials that expire no later than the entry', () => {
      const { publish, store } = createStore();
      const until = START + 24 * HOUR;
      publish([{ id: toAllCredentialsId('user_1', 'client_1'), expiresAtMs: until }]);
      expect(store.isRevoked(credential('user_1', 'client_1', until - 1))).toBe(true);
      expect(store.isRevoked(credential('user_1', 'client_1', until))).toBe(true);
      expect(store.isRevoked(credential('user_1', 'client_1', until + 1))).toBe(false);
      expect(store.isRevoked(credential('user_2', 'client_1', until))).toBe(false);
      expect(store.isRevoked(credential('user_1', 'client_2', until))).toBe(false);
      // Tokens are revoked one by one.
      expect(store.isRevoked({ id: 'jti', clientId: 'client_1', user: { id: 'user_1' } })).toBe(false);
    });
  });
});
