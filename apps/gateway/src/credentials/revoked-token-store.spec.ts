import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { toAllCredentialsId, type CredentialChanges, type RevokedToken } from '@app/dto';
import { MetricsService, type ServiceContext } from '@app/service';
import fc from 'fast-check';
import type { GatewayConfig } from '../gateway.config.js';
import type { IdentityClient } from './identity-client.js';
import type { RevocationFeedSubscriber } from './revocation-feed-subscriber.js';
import { RevokedTokenStore } from './revoked-token-store.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = Date.parse('2026-11-20T12:00:00Z');

/** A store behind a scripted feed, and an identity that knows every published token. */
function createStore(maxTokens = 1_000) {
  const listeners: Parameters<RevocationFeedSubscriber['onChanges']>[0][] = [];
  const feed: Pick<RevocationFeedSubscriber, 'onChanges'> = {
    onChanges: (listener) => listeners.push(listener),
  };
  const published: RevokedToken[] = [];
  const identity = {
    findRevokedTokens: jest.fn((ids: readonly string[]) =>
      Promise.resolve({ tokens: published.filter(({ id }) => ids.includes(id)) }),
    ),
  };
  const store = new RevokedTokenStore(
    feed as RevocationFeedSubscriber,
    identity as Pick<IdentityClient, 'findRevokedTokens'> as IdentityClient,
    { MAX_REVOKED_TOKENS: maxTokens } as GatewayConfig,
    { metrics: new MetricsService('gateway') } as ServiceContext,
  );
  const changes: CredentialChanges = {
    last: 1,
    hasMore: false,
    truncated: false,
    clientIds: [],
    revoked: [],
  };
  const publish = (revoked: RevokedToken[], all?: RevokedToken[], isComplete = true) => {
    published.push(...revoked, ...(all ?? []));
    for (const listener of listeners) listener({ ...changes, revoked }, all && { tokens: all, isComplete });
  };
  return { publish, has: (id: string) => store.isRevoked({ id, clientId: 'client_1' }), store, identity };
}

describe('RevokedTokenStore', () => {
  beforeEach(() => {
    jest.useFakeTimers().setSystemTime(START);
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  it('RevokedTokenStore: has the tokens of the full list and of the feed', () => {
    const { publish, has } = createStore();
    publish([{ id: 'one', expiresAtMs: START + HOUR }], [{ id: 'two', expiresAtMs: START + MINUTE }]);
    expect(['one', 'two', 'three'].map(has)).toEqual([true, true, false]);
  });

  it('RevokedTokenStore: keeps a token until the latest expiry that was published, then removes it', () => {
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

    it('RevokedTokenStore, all credentials of a user for a client application: revokes the credentials that expire no later than the entry', () => {
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

  describe('with more tokens than it may hold', () => {
    const token = (id: string) => ({ id, clientId: 'client_1' });
    const expiring = (id: string, at: number) => ({ id, expiresAtMs: START + at });

    it('RevokedTokenStore, with more tokens than it may hold: asks identity about each token until those that it left out have expired', async () => {
      const { publish, store, identity } = createStore(2);
      publish([expiring('a', HOUR), expiring('b', HOUR)]);
      expect(await store.isRevokedAnywhere(token('c'))).toBe(false);
      expect(identity.findRevokedTokens).not.toHaveBeenCalled();
      publish([expiring('c', 2 * HOUR), expiring('d', MINUTE)]);
      for (const [id, isRevoked] of [
        ['c', true],
        ['d', true],
        ['e', false],
      ] as const)
        expect(await store.isRevokedAnywhere(token(id))).toBe(isRevoked);
      expect(identity.findRevokedTokens).toHaveBeenCalledTimes(3);
      expect(await store.isRevokedAnywhere(token('a'))).toBe(true);
      jest.setSystemTime(START + 2 * HOUR);
      expect(await store.isRevokedAnywhere(token('e'))).toBe(false);
      expect(identity.findRevokedTokens).toHaveBeenCalledTimes(3);
      publish([]);
      publish([expiring('f', 3 * HOUR)]);
      expect(store.isRevoked(token('f'))).toBe(true);
    });

    it('RevokedTokenStore, with more tokens than it may hold: answers 503 while identity is unavailable', async () => {
      const { publish, store, identity } = createStore(1);
      publish([expiring('a', HOUR), expiring('b', HOUR)]);
      identity.findRevokedTokens.mockRejectedValue(new Error('connection refused'));
      await expect(store.isRevokedAnywhere(token('b'))).rejects.toMatchObject({ statusCode: 503 });
      expect(await store.isRevokedAnywhere(token('a'))).toBe(true);
    });

    it('RevokedTokenStore, with more tokens than it may hold: reports the tokens that it leaves out, and all after an incomplete list', () => {
      const { publish, store } = createStore(1);
      const credential = { ...token('nonce'), user: { id: 'user_1' }, credentialExpiresAtMs: START + HOUR };
      const omitted: string[] = [];
      store.onOmission((isOmitted) => {
        omitted.push(
          ['a', 'b', 'c'].filter((id) => isOmitted(token(id))).join(),
          String(isOmitted(credential)),
        );
      });
      publish([expiring('a', HOUR)]);
      publish([expiring('b', HOUR)]);
      publish([expiring(toAllCredentialsId('user_1', 'client_1'), HOUR)]);
      publish([], [expiring('a', HOUR)], false);
      expect(omitted).toEqual(['b', 'false', '', 'true', 'a,b,c', 'true']);
    });

    it('RevokedTokenStore, with more tokens than it may hold: asks for as long as any token lives after an incomplete list', async () => {
      const { publish, store, identity } = createStore(1);
      publish([], [expiring('a', HOUR)], false);
      jest.setSystemTime(START + 24 * HOUR);
      await store.isRevokedAnywhere(token('b'));
      expect(identity.findRevokedTokens).toHaveBeenCalledTimes(1);
      jest.setSystemTime(START + 25 * HOUR);
      await store.isRevokedAnywhere(token('b'));
      expect(identity.findRevokedTokens).toHaveBeenCalledTimes(1);
    });
  });
});
