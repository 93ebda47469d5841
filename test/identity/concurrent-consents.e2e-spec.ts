import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CommandServices } from '../../apps/identity/src/applications/command/command-services.js';
import { CredentialTransactionService } from '../../apps/identity/src/tokens/change-feed/credential-transaction.service.js';
import { ConsentService } from '../../apps/identity/src/oauth2/storage/consent.service.js';
import { GrantService } from '../../apps/identity/src/oauth2/storage/grant.service.js';
import { storage } from '../../apps/identity/src/database/storage.js';
import { UserEventsService } from '../../apps/identity/src/users/user-events.service.js';
import { OutboxSignal } from '../../libs/outbox/src/outbox.config.js';
import { OutboxQueries } from '../../libs/outbox/src/outbox.queries.js';
import { OutboxService } from '@app/outbox';
import { userEventsQueue } from '@app/queues';
import { RevocationsService } from '../../apps/identity/src/tokens/revocations/revocations.service.js';
import { freshDatabase, type FreshDatabase } from '../support/fresh-database.js';
import { identityServices } from './identity-services.js';
import { identityUnderTest } from './identity-under-test.js';

const ROUNDS = 60;
const READ = 'user:read';
const WALLETS = 'user:wallet:read';
const BOTH = new Set([READ, WALLETS]);

describe('concurrent consent decisions', () => {
  let database: FreshDatabase;
  let services: CommandServices;
  let grants: GrantService;
  let consents: ConsentService;

  beforeAll(async () => {
    database = await freshDatabase('identity');
    const { env } = await identityUnderTest(database.url, { DATABASE_POOL_SIZE: '8' });
    services = await identityServices(env);
    const transactions = new CredentialTransactionService(services.database);
    const options = { schema: storage.schema, queues: [userEventsQueue] };
    const outbox = new OutboxService(
      options,
      new OutboxQueries(options, services.database),
      new OutboxSignal(),
    );
    const [revocations, events] = [new RevocationsService(services.database), new UserEventsService(outbox)];
    grants = new GrantService(services.database, transactions, revocations, events);
    consents = new ConsentService(transactions, grants);
  });

  afterAll(async () => {
    await services.database.close();
    await database.drop();
  });

  const newPair = () => ({ userId: randomUUID(), clientId: 'shop' });

  it('concurrent consent decisions: leave no copy after a concurrent revocation', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const pair = newPair();
      for (let times = 0; times < 3; times++)
        await consents.record(pair, { granted: [...BOTH], refused: [] });
      const copies = Array.from({ length: 3 }, () => consents.copy(pair, BOTH));
      await Promise.all([...copies, consents.revoke(pair)]);
      expect(await grants.list(pair.userId)).toEqual([]);
    }
  });

  it('concurrent consent decisions: remove a refused scope from every concurrent copy', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const pair = newPair();
      await consents.record(pair, { granted: [...BOTH], refused: [] });
      const narrow = () => consents.record(pair, { granted: [READ], refused: [WALLETS] });
      const copies = Array.from({ length: 3 }, () => consents.copy(pair, BOTH));
      await Promise.all([...copies, narrow(), consents.copy(pair, BOTH)]);
      const left = await grants.list(pair.userId);
      expect(left.flatMap(({ scopes }) => scopes)).not.toContain(WALLETS);
      expect(left.length).toBeGreaterThan(0);
    }
  });

  it('concurrent consent decisions: keep the time of the decision in copies', async () => {
    const pair = newPair();
    await consents.record(pair, { granted: [READ], refused: [WALLETS] });
    expect(await consents.copy(pair, BOTH)).toBeDefined();
    const [copy, original] = await grants.list(pair.userId);
    expect(copy?.since).toEqual(original?.since);
    await consents.record(pair, { granted: [WALLETS], refused: [] });
    expect(await consents.findLatest(pair, BOTH)).toMatchObject({ granted: [READ, WALLETS], refused: [] });
    await consents.copy(pair, new Set([READ]));
    expect(await consents.findLatest(pair, BOTH)).toMatchObject({ granted: [READ, WALLETS], refused: [] });
  });

  it('concurrent consent decisions: keep at most the maximum number of copies', async () => {
    const pair = newPair();
    await consents.record(pair, { granted: [READ], refused: [] });
    await Promise.all(Array.from({ length: 30 }, () => consents.copy(pair, new Set([READ]))));
    expect(await grants.list(pair.userId)).toHaveLength(20);
  });
});
