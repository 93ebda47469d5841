import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CommandServices } from '../../apps/identity/src/applications/command/command-services.js';
import { CredentialTransactionService } from '../../apps/identity/src/tokens/change-feed/credential-transaction.service.js';
import { ConsentService } from '../../apps/identity/src/oauth2/storage/consent.service.js';
import { GrantService } from '../../apps/identity/src/oauth2/storage/grant.service.js';
import { RevocationsService } from '../../apps/identity/src/tokens/revocations/revocations.service.js';
import { freshDatabase, type FreshDatabase } from '../support/fresh-database.js';
import { identityServices } from './identity-services.js';
import { identityUnderTest } from './identity-under-test.js';

const ROUNDS = 60;
const NAME = 'user:read';
const WALLETS = 'user:wallet:read';
const BOTH = new Set([NAME, WALLETS]);

describe('decisions that several sessions use at once', () => {
  let database: FreshDatabase;
  let services: CommandServices;
  let grants: GrantService;
  let decisions: ConsentService;

  beforeAll(async () => {
    database = await freshDatabase('identity');
    const { env } = await identityUnderTest(database.url, { DATABASE_POOL_SIZE: '8' });
    services = await identityServices(env);
    const writes = new CredentialTransactionService(services.database);
    grants = new GrantService(services.database, writes, new RevocationsService(services.database));
    decisions = new ConsentService(writes, grants);
  }, 60_000);

  afterAll(async () => {
    await services.database.close();
    await database.drop();
  });

  const newPair = () => ({ userId: randomUUID(), clientId: 'shop' });

  it('are copied before they are taken back, or not at all', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const pair = newPair();
      for (let times = 0; times < 3; times++)
        await decisions.record(pair, { granted: [...BOTH], refused: [] });
      const copies = Array.from({ length: 3 }, () => decisions.copy(pair, BOTH));
      await Promise.all([...copies, decisions.revoke(pair)]);
      expect(await grants.list(pair.userId)).toEqual([]);
    }
  }, 60_000);

  it('are narrowed in every copy', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const pair = newPair();
      await decisions.record(pair, { granted: [...BOTH], refused: [] });
      const narrowing = () => decisions.record(pair, { granted: [NAME], refused: [WALLETS] });
      const copies = Array.from({ length: 3 }, () => decisions.copy(pair, BOTH));
      await Promise.all([...copies, narrowing(), decisions.copy(pair, BOTH)]);
      const left = await grants.list(pair.userId);
      expect(left.flatMap(({ scopes }) => scopes)).not.toContain(WALLETS);
      expect(left.length).toBeGreaterThan(0);
    }
  }, 60_000);

  it('count by when they were made, not by when they were copied', async () => {
    const pair = newPair();
    await decisions.record(pair, { granted: [NAME], refused: [WALLETS] });
    expect(await decisions.copy(pair, BOTH)).toBeDefined();
    const [copy, original] = await grants.list(pair.userId);
    expect(copy?.since).toEqual(original?.since);
    await decisions.record(pair, { granted: [WALLETS], refused: [] });
    expect(await decisions.findLatest(pair, BOTH)).toMatchObject({ granted: [NAME, WALLETS], refused: [] });
    await decisions.copy(pair, new Set([NAME]));
    expect(await decisions.findLatest(pair, BOTH)).toMatchObject({ granted: [NAME, WALLETS], refused: [] });
  });

  it('are kept no more often than the bound says, however many sessions copy them', async () => {
    const pair = newPair();
    await decisions.record(pair, { granted: [NAME], refused: [] });
    await Promise.all(Array.from({ length: 30 }, () => decisions.copy(pair, new Set([NAME]))));
    expect(await grants.list(pair.userId)).toHaveLength(20);
  });
});
