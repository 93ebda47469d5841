import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CommandServices } from '../../apps/identity/src/applications/command/command-services.js';
import { CredentialChangesService } from '../../apps/identity/src/tokens/change-feed/credential-changes.controller.js';
import { CredentialHasher } from '../../apps/identity/src/applications/credentials/credential-issuer.js';
import { findApiKey } from '../../apps/identity/src/applications/entities/api-keys.queries.js';
import { recordCredentialChanges } from '../../apps/identity/src/tokens/change-feed/credential-changes.queries.js';
import { freshDatabase, type FreshDatabase } from '../support/fresh-database.js';
import { identityServices } from './identity-services.js';
import { identityUnderTest } from './identity-under-test.js';

// Commits wait for one another under the lock time-out of the database, and writers for a free connection: more of
// them reach both on a busy machine.
const WRITERS = 8;
const READERS = 4;

describe('the change feed', () => {
  let database: FreshDatabase;
  let services: CommandServices;
  let readers: CommandServices;
  let feed: CredentialChangesService;
  let hasher: CredentialHasher;

  beforeAll(async () => {
    database = await freshDatabase('identity');
    const { env } = await identityUnderTest(database.url, { DATABASE_POOL_SIZE: '20' });
    services = await identityServices(env);
    readers = await identityServices(env);
    feed = new CredentialChangesService(readers.database);
    hasher = new CredentialHasher(Buffer.from(env.CREDENTIAL_PEPPER ?? '', 'base64url'));
  });

  afterAll(async () => {
    await services.database.close();
    await readers.database.close();
    await database.drop();
  });

  /** Polls like a gateway until `isOver`, and once more. */
  async function readAll(isOver: () => boolean): Promise<Set<string>> {
    const first = await feed.listAfter(0);
    const seen = new Set(first.clientIds);
    let { last } = first;
    for (let rounds = 0, over = false; !over || rounds === 0; rounds++) {
      over = isOver();
      const page = await feed.listAfter(last);
      for (const clientId of page.clientIds) seen.add(clientId);
      last = page.last;
    }
    return seen;
  }

  it('change feed: loses no change when transactions overlap', async () => {
    const clientIds = Array.from({ length: WRITERS * 2 }, (_, n) => `client_${n}`);
    let isOver = false;
    const reading = Array.from({ length: READERS }, () => readAll(() => isOver));
    const write = (clientId: string, n: number) =>
      services.database.transaction(async (manager) => {
        await sleep((n * 7) % 11);
        await recordCredentialChanges(manager, [clientId]);
        // Another transaction could commit between this one's sequence number and its commit.
        await sleep((n * 5) % 13);
        if (n % 4 === 0) throw new Error('rolled back');
      });
    const written = await Promise.allSettled(clientIds.map(write));
    isOver = true;
    const committed = clientIds.filter((_, n) => written[n]?.status === 'fulfilled');
    expect(committed).toHaveLength((WRITERS * 2 * 3) / 4);
    for (const seen of await Promise.all(reading)) expect([...seen].sort()).toEqual([...committed].sort());
  });

  it('change feed: never returns a record with an asOf that covers a later change', async () => {
    const terms = { plan: 'enterprise', perSecond: 5, perMonth: 5 } as const;
    const client = { name: 'shop', type: 'confidential', tenant: terms } as const;
    const created = await Promise.all(
      Array.from({ length: WRITERS }, () => services.clientApplications.create({ ...client, scopes: [] })),
    );
    let isOver = false;
    const observe = async (apiKey: string): Promise<number> => {
      let lastGood = 0;
      while (!isOver) {
        const { asOf, credential } = await findApiKey(readers.database, hasher.hash(apiKey));
        if (credential) lastGood = asOf;
        await sleep(1);
      }
      return lastGood;
    };
    const observing = Promise.all(created.map(({ apiKey }) => observe(apiKey)));
    try {
      await Promise.all(created.map(({ keyId }) => services.apiKeys.revoke(keyId)));
    } finally {
      isOver = true;
      await observing;
    }
    const lastGood = await observing;
    for (const [n, { clientId }] of created.entries()) {
      const { clientIds } = await feed.listAfter(lastGood[n] ?? 0);
      expect(clientIds).toContain(clientId);
    }
  });
});
