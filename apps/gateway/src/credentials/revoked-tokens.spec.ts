import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { CredentialChanges, RevokedTokens as RevokedList } from '@app/dto';
import type { RevocationFeed } from './revocation-feed.js';
import { RevokedTokens } from './revoked-tokens.js';

const HOUR = 3_600_000;

describe('revoked tokens', () => {
  let tell: (tokenIds: string[], list?: RevokedList) => void;
  let revoked: RevokedTokens;

  beforeEach(() => {
    jest.useFakeTimers({ now: Date.parse('2026-11-20T12:00:00Z') });
    const listeners: Parameters<RevocationFeed['onChanges']>[0][] = [];
    const feed: Pick<RevocationFeed, 'onChanges'> = { onChanges: (listener) => listeners.push(listener) };
    revoked = new RevokedTokens(feed as RevocationFeed);
    const changes: CredentialChanges = { last: 1, truncated: false, clientIds: [], tokenIds: [] };
    tell = (tokenIds, list) => {
      for (const listener of listeners) listener({ ...changes, tokenIds }, list);
    };
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  it('are those of the list and those that the feed tells of', () => {
    tell(['one'], { asOf: 1, tokens: [{ id: 'two', expiresAt: Date.now() / 1_000 + 60 }] });
    expect(['one', 'two', 'three'].map((id) => revoked.has(id))).toEqual([true, true, false]);
  });

  it('are kept until they have expired: the longest-lived a day', () => {
    tell(['one'], { asOf: 1, tokens: [{ id: 'two', expiresAt: Date.now() / 1_000 + 3_600 }] });
    jest.advanceTimersByTime(HOUR - 1);
    tell([]);
    expect(revoked.has('two')).toBe(true);
    jest.advanceTimersByTime(23 * HOUR);
    tell([]);
    expect([revoked.has('one'), revoked.has('two')]).toEqual([true, false]);
    jest.advanceTimersByTime(2 * HOUR);
    tell([]);
    expect(revoked.has('one')).toBe(false);
  });
});
