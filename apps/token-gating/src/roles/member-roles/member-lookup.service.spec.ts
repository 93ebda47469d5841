import { afterEach, expect, it, jest } from '@jest/globals';
import { Database } from '@app/database';
import type { ServiceContext } from '@app/service';
import { MemberLookupService } from './member-lookup.service.js';

afterEach(() => {
  jest.restoreAllMocks();
});

it('MemberLookupService: keeps parsed rules for seconds only, because a failover may give their revision to other rules', async () => {
  const knownRevisions: unknown[] = [];
  const query = (_sql: string, [, , , , known]: unknown[][]) => {
    knownRevisions.push(known?.[0]);
    const row = {
      n: 1,
      visibility: 'public',
      isSuspended: false,
      startedAt: '2026-11-28',
      rulesRevision: 5,
      rules: known?.[0] === 5 ? null : [],
      userIds: ['user'],
      isOwner: false,
      isAdministrator: false,
      isMember: true,
      isAttachedClient: false,
    };
    return Promise.resolve([row]);
  };
  const database = Object.assign(Object.create(Database.prototype) as Database, { query });
  const lookup = new MemberLookupService(database, {} as ServiceContext);
  const find = () => lookup.find({ kind: 'anonymous' }, 'community', 'user', new AbortController().signal);
  let now = 1_000_000;
  jest.spyOn(performance, 'now').mockImplementation(() => now);
  for (const passedMs of [0, 1, 9_000, 2_000]) {
    now += passedMs;
    expect((await find()).rules).toEqual([]);
    // The cache reads the clock once a millisecond.
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  expect(knownRevisions).toEqual([null, 5, 5, null]);
});
