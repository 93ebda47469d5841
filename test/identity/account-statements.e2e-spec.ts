import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Principal, deriveUserId } from '@app/auth';
import { freshDatabase, type FreshDatabase } from '../support/fresh-database.js';
import { runningApp, type RunningApp } from '../support/running-app.js';
import { StatementLog } from '../support/statement-log.js';
import { identityUnderTest, type IdentityUnderTest } from './identity-under-test.js';
import { newKey } from './linking-world.js';

const ACCOUNT_TABLES =
  /identity\.(?:users|wallet_connections|wallet_challenges|outbox \(|oauth_models|ae_tokens)/;
/** What the sweeper does every ten seconds, whatever is asked. */
const SWEEP = 'DELETE FROM identity.oauth_models WHERE (kind, id) IN';

describe('SQL statements per account operation', () => {
  let database: FreshDatabase;
  let log: StatementLog;
  let identity: IdentityUnderTest;
  let app: RunningApp;
  const key = newKey();
  const client = { id: 'client_1', ownerId: 'owner_1', plan: 'free' };
  const user = {
    id: deriveUserId('ethereum', key.address.toLowerCase()),
    account: `eip155:1:${key.address}`,
  };
  const caller: Principal = { kind: 'caller', client, user, scopes: [] };

  beforeAll(async () => {
    database = await freshDatabase('identity');
    log = await StatementLog.start(database.url);
    identity = await identityUnderTest(log.url);
    app = await runningApp('identity', identity.env);
    expect((await identity.get('/account/me', caller)).status).toBe(200);
  });

  afterAll(async () => {
    expect(await app.stop()).toBe(0);
    await log.stop();
    await database.drop();
  });

  const countStatements = async (work: () => Promise<Response>) => {
    const before = log.statements.length;
    const response = await work();
    expect(response.status).toBe(200);
    const statements = log
      .matching(ACCOUNT_TABLES, before)
      .filter((statement) => !statement.startsWith(SWEEP));
    return { response, count: statements.length };
  };

  it('SQL statements per account operation: loads the profile or a page of wallets with one statement', async () => {
    for (const path of ['/account/me', '/account/wallets', '/account/wallets?limit=1'])
      expect([path, (await countStatements(() => identity.get(path, caller))).count]).toEqual([path, 1]);
  });

  it('SQL statements per account operation: links a wallet with a constant number of statements', async () => {
    for (let n = 0; n < 3; n += 1) {
      const challenge = await countStatements(() => identity.get('/account/auth-message', caller));
      const { message } = (await challenge.response.json()) as { message: string };
      const wallet = newKey();
      const signedMessage = await wallet.signMessage({ message });
      const proof = { address: wallet.address, message, signedMessage };
      const linked = await countStatements(() => identity.post('/account/wallet-address', caller, proof));
      // Challenge: user, lock, insert. Link: take the challenge, lock, insert the wallet, outbox.
      expect([challenge.count, linked.count]).toEqual([3, 4]);
    }
  });
});
