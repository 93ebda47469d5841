import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ClientServices } from '../../apps/identity/src/command/client-services.js';
import { CredentialWrites } from '../../apps/identity/src/credentials/credential-writes.js';
import { Decisions } from '../../apps/identity/src/oauth2/storage/decisions.js';
import { Grants } from '../../apps/identity/src/oauth2/storage/grants.js';
import { Revocations } from '../../apps/identity/src/revocations/revocations.js';
import { freshDatabase, type FreshDatabase } from '../support/fresh-database.js';
import { identityServices } from './identity-services.js';
import { identityUnderTest } from './identity-under-test.js';

const ROUNDS = 60;
const NAME = 'user:read';
const WALLETS = 'user:wallet:read';
const BOTH = new Set([NAME, WALLETS]);

describe('decisions that several sessions use at once', () => {
  let database: FreshDatabase;
  let services: ClientServices;
  let grants: Grants;
  let decisions: Decisions;

  beforeAll(async () => {
    database = await freshDatabase('identity');
    const { env } = await identityUnderTest(database.url, { DATABASE_POOL_SIZE: '8' });
    services = await identityServices(env);
    const writes = new CredentialWrites(services.database);
    grants = new Grants(services.database, writes, new Revocations(services.database));
    decisions = new Decisions(writes, grants);
  }, 60_000);

  afterAll(async () => {
    await services.database.close();
    await database.drop();
  });

  const newPair = () => ({ userId: randomUUID(), clientId: 'shop' });

  it('are copied before they are taken back, or not at all', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const pair = newPair();
      for (let times = 0; times < 3; times++) await decisions.make(pair, { granted: [...BOTH], refused: [] });
      const copies = Array.from({ length: 3 }, () => decisions.copy(pair, BOTH));
      await Promise.all([...copies, decisions.takeBack(pair)]);
      expect(await grants.of(pair.userId)).toEqual([]);
    }
  }, 60_000);

  it('are narrowed in every copy', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const pair = newPair();
      await decisions.make(pair, { granted: [...BOTH], refused: [] });
      const narrowing = () => decisions.make(pair, { granted: [NAME], refused: [WALLETS] });
      const copies = Array.from({ length: 3 }, () => decisions.copy(pair, BOTH));
      await Promise.all([...copies, narrowing(), decisions.copy(pair, BOTH)]);
      const left = await grants.of(pair.userId);
      expect(left.flatMap(({ scopes }) => scopes)).not.toContain(WALLETS);
      expect(left.length).toBeGreaterThan(0);
    }
  }, 60_000);

  it('count by when they were made, not by when they were copied', async () => {
    const pair = newPair();
    await decisions.make(pair, { granted: [NAME], refused: [WALLETS] });
    expect(await decisions.copy(pair, BOTH)).toBeDefined();
    const [copy, original] = await grants.of(pair.userId);
    expect(copy?.since).toEqual(original?.since);
    await decisions.make(pair, { granted: [WALLETS], refused: [] });
    expect(await decisions.about(pair, BOTH)).toMatchObject({ granted: [NAME, WALLETS], refused: [] });
    await decisions.copy(pair, new Set([NAME]));
    expect(await decisions.about(pair, BOTH)).toMatchObject({ granted: [NAME, WALLETS], refused: [] });
  });

  it('are kept no more often than the bound says, however many sessions copy them', async () => {
    const pair = newPair();
    await decisions.make(pair, { granted: [NAME], refused: [] });
    await Promise.all(Array.from({ length: 30 }, () => decisions.copy(pair, new Set([NAME]))));
    expect(await grants.of(pair.userId)).toHaveLength(20);
  });
});
