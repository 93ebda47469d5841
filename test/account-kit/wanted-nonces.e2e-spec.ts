import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type pg from 'pg';
import type { Address } from 'viem';
import type { Client } from '../support/create-client.js';
import { databasePool } from '../support/database-pool.js';
import { until } from '../support/until.js';
import { type AccountKitSuite, leaseAccountKitSuite } from './account-kit-suite.js';
import { holdSignedOperations } from './hold-signed-operations.js';

const FUNDS = 10n ** 18n;
const CONFIRMATIONS = 12;
const MAX_UNFINISHED = 16;
const MAX_CANCELLATIONS_PER_DAY = 50;

let kit: AccountKitSuite;
let pool: pg.Pool;
/** A client application of another tenant, for which the same users act. */
let other: Client;
let lastUserId = 8_800;

beforeAll(async () => {
  kit = await leaseAccountKitSuite();
  pool = databasePool(kit.suite.databaseUrl);
  other = await kit.suite.createClient({ scopes: ['accountkit'] });
});

afterEach(() => pool.query('DELETE FROM account_kit.freezes'));

afterAll(() => pool.end());

/** An account with funds, and an address that nobody else pays to. */
class User {
  private constructor(
    private readonly id: string,
    readonly address: Address,
    readonly recipient: Address,
  ) {}

  static async create(): Promise<User> {
    lastUserId += 1;
    const id = String(lastUserId);
    const { body } = await kit.call<{ evm: { address: Address }[] }>('/accountkit/v1/chatbot/accounts', {
      headers: { 'X-BOT-TOKEN': kit.platforms.botToken(id) },
    });
    const address = body.evm[0]?.address;
    if (!address) throw new Error('there is no account');
    await kit.chain.setNativeBalance(address, FUNDS);
    return new User(id, address, `0x${id.padStart(40, '0')}`);
  }

  request(value: bigint, { client = kit.client, lane = '0' } = {}) {
    return kit.call<{ userOperationHash: string }>(
      `/accountkit/v1/chatbot/evm/submitUserOperation?chainId=${kit.chain.chainId}`,
      {
        method: 'POST',
        headers: {
          'X-API-Key': client.apiKey,
          'X-BOT-TOKEN': kit.platforms.botToken(this.id),
          'X-Nonce-Key': lane,
        },
        body: { target: this.recipient, value: String(value) },
      },
    );
  }

  async submit(value: bigint, options: Parameters<User['request']>[1] = {}): Promise<string> {
    const { status, body } = await this.request(value, options);
    expect({ status, body }).toMatchObject({ status: 200 });
    return body.userOperationHash;
  }

  /** Repeats a request that is refused for now, as the answer tells. @returns the code of its refusals, and its hash */
  async submitAfterRefusal(value: bigint, options: Parameters<User['request']>[1] = {}) {
    const codes = new Set<string>();
    let hash: string | undefined;
    await until('the operation is accepted', async () => {
      const { status, headers, body } = await this.request(value, options);
      if (status === 200) hash = body.userOperationHash;
      else {
        codes.add((body as unknown as { error: { details: { code: string } } }).error.details.code);
        expect(headers.get('Retry-After')).toMatch(/^\d+$/);
      }
      return status === 200;
    });
    if (hash === undefined) throw new Error('no operation was accepted');
    return { codes: [...codes], hash };
  }

  async paid(): Promise<bigint> {
    return kit.chain.client.getBalance({ address: this.recipient });
  }

  async rows() {
    const { rows } = await pool.query<{
      hash: string;
      kind: string;
      state: string;
      reason: string | null;
      client_id: string;
      nonce_key: string;
      nonce_sequence: string;
      wanted_by: string | null;
      details: unknown;
    }>('SELECT * FROM account_kit.user_operations WHERE lower(sender) = lower($1) ORDER BY accepted_at', [
      this.address,
    ]);
    return rows;
  }

  async untilIncluded(hash: string): Promise<void> {
    await until('the operation is included', async () =>
      (await this.rows()).some((row) => row.hash === hash && ['included', 'final'].includes(row.state)),
    );
  }

  /** Mines until the operations that were given up are rejected. @returns their reasons */
  async untilRejected(hashes: readonly string[]): Promise<(string | null)[]> {
    const given = async () => (await this.rows()).filter(({ hash }) => hashes.includes(hash));
    await kit.chain.client.mine({ blocks: CONFIRMATIONS });
    await until('what was given up is rejected', async () => {
      await kit.chain.client.mine({ blocks: 1 });
      return (await given()).every(({ state }) => state === 'rejected');
    });
    return (await given()).map(({ reason }) => reason);
  }
}

/** Signs operations that nothing sends, and whose day then ends. */
async function lapse(user: User, submit: () => Promise<string[]>): Promise<string[]> {
  const release = await holdSignedOperations(pool);
  const hashes = await submit();
  await release();
  await pool.query(
    `UPDATE account_kit.user_operations SET accepted_at = accepted_at - interval '25 hours' WHERE hash = ANY($1)`,
    [hashes],
  );
  await until('the operations have lapsed', async () =>
    (await user.rows())
      .filter(({ hash }) => hashes.includes(hash))
      .every(({ reason }) => reason === 'lapsed'),
  );
  return hashes;
}

const LAPSED = 'cancelled: it was not executed within a day';

it('submitUserOperation: succeeds after refusals by a first operation that has lapsed, whose cancellation counts for who wants the nonce', async () => {
  const user = await User.create();
  const lapsed = await lapse(user, async () => [await user.submit(1n)]);
  const { codes, hash } = await user.submitAfterRefusal(10n, { client: other, lane: '5' });
  expect(codes).toEqual(['account_deploying']);
  await user.untilIncluded(hash);
  expect(await user.untilRejected(lapsed)).toEqual([LAPSED]);
  expect(await user.paid()).toBe(10n);
  const cancellations = (await user.rows()).filter(({ kind }) => kind === 'cancellation');
  expect(cancellations).toMatchObject([{ client_id: other.clientId, nonce_sequence: '0' }]);
});

it('submitUserOperation: succeeds after refusals by 16 operations that have lapsed, and pays none of them', async () => {
  const user = await User.create();
  await user.untilIncluded(await user.submit(100n));
  const lapsed = await lapse(user, async () => {
    const hashes: string[] = [];
    // A call that nothing could pay for after the others of its lane.
    for (let count = 0; count < MAX_UNFINISHED; count += 1) hashes.push(await user.submit(FUNDS / 20n));
    return hashes;
  });
  const { codes, hash } = await user.submitAfterRefusal(FUNDS / 2n, { client: other });
  expect(codes).toEqual(['unfinished_operation_limit_exceeded']);
  await user.untilIncluded(hash);
  expect(new Set(await user.untilRejected(lapsed))).toEqual(new Set([LAPSED]));
  expect(await user.paid()).toBe(100n + FUNDS / 2n);
  const cancellations = (await user.rows()).filter(({ kind }) => kind === 'cancellation');
  expect(cancellations).toHaveLength(MAX_UNFINISHED);
  expect(new Set(cancellations.map(({ client_id }) => client_id))).toEqual(new Set([other.clientId]));
});

const freezeApplication = (client: Client) =>
  pool.query(
    `INSERT INTO account_kit.freezes (scope, subject, reason) VALUES ('application', $1, 'a key was found in a log')`,
    [client.clientId],
  );

/** A freeze cancels nothing in its first minute. */
const ageFreezes = () =>
  pool.query(`UPDATE account_kit.freezes SET frozen_at = frozen_at - interval '2 minutes'`);

it('a freeze of an application: does not stop another one whose operation waits in the same lane', async () => {
  const user = await User.create();
  await user.untilIncluded(await user.submit(100n));
  const release = await holdSignedOperations(pool);
  const frozen = await user.submit(1n);
  await freezeApplication(kit.client);
  await release();
  const waiting = await user.submit(10n, { client: other });
  const refusal = await user.request(1n);
  expect(refusal).toMatchObject({ status: 403, body: { error: { details: { code: 'frozen' } } } });
  await ageFreezes();
  await user.untilIncluded(waiting);
  expect(await user.untilRejected([frozen])).toEqual([
    'cancelled: operators have frozen its client application, and another one wants its nonce',
  ]);
  expect(await user.paid()).toBe(110n);
  const cancellations = (await user.rows()).filter(({ kind }) => kind === 'cancellation');
  expect(cancellations).toMatchObject([{ client_id: other.clientId, nonce_sequence: '1' }]);
  // Instances that do not know the cause stop repairing when they read it.
  expect(cancellations[0]?.details).toMatchObject({ cause: 'lapsed', exactCause: 'frozen' });
});

it('a freeze of an application: does not keep another one from an account that its first operation would have deployed', async () => {
  const user = await User.create();
  const release = await holdSignedOperations(pool);
  const frozen = await user.submit(1n);
  await freezeApplication(kit.client);
  await release();
  const refused = await user.request(10n, { client: other });
  expect(refused).toMatchObject({ status: 409, body: { error: { details: { code: 'account_deploying' } } } });
  await ageFreezes();
  const { hash } = await user.submitAfterRefusal(10n, { client: other });
  await user.untilIncluded(hash);
  await user.untilRejected([frozen]);
  expect(await user.paid()).toBe(10n);
});

/** Signs an operation that is not due for an hour. */
async function hold(user: User, value: bigint): Promise<string> {
  const release = await holdSignedOperations(pool);
  const hash = await user.submit(value);
  await release();
  return hash;
}

/** Repairs look once at each block. */
async function repairsPass(): Promise<void> {
  const witness = await User.create();
  for (const value of [1n, 2n]) {
    await witness.untilIncluded(await witness.submit(value, { client: other }));
    await kit.chain.client.mine({ blocks: 1 });
  }
}

it('a freeze of an application: wants no nonce any more once it has ended, so that lapsed operations of other lanes are repaired', async () => {
  const user = await User.create();
  await user.untilIncluded(await user.submit(100n));
  await lapse(user, async () => {
    const hashes: string[] = [];
    for (let count = 1; count < MAX_UNFINISHED; count += 1) hashes.push(await user.submit(1n, { lane: '1' }));
    return hashes;
  });
  const held = await hold(user, 1n);
  await freezeApplication(kit.client);
  expect(await user.request(10n, { client: other })).toMatchObject({ status: 429 });
  expect((await user.rows()).find(({ hash }) => hash === held)).toMatchObject({ wanted_by: other.clientId });
  await pool.query('DELETE FROM account_kit.freezes');
  const { hash } = await user.submitAfterRefusal(10n, { client: other, lane: '5' });
  await user.untilIncluded(hash);
  expect((await user.rows()).filter(({ kind }) => kind === 'cancellation')).toMatchObject([
    { client_id: other.clientId, nonce_key: '1', nonce_sequence: '0' },
  ]);
});

it('a freeze of an application: cancels nothing for a request of before, or of an earlier freeze, until it is refused again', async () => {
  const user = await User.create();
  const held = await hold(user, 1n);
  await freezeApplication(kit.client);
  expect(await user.request(10n, { client: other })).toMatchObject({ status: 409 });
  // Ten minutes pass, and another freeze begins.
  await pool.query(
    `UPDATE account_kit.user_operations SET wanted_at = wanted_at - interval '10 minutes' WHERE hash = $1`,
    [held],
  );
  await ageFreezes();
  await repairsPass();
  expect(await user.rows()).toMatchObject([{ kind: 'call', wanted_by: other.clientId }]);
  const { hash } = await user.submitAfterRefusal(10n, { client: other });
  await user.untilIncluded(hash);
  expect(await user.paid()).toBe(10n);
});

it('submitUserOperation: a refusal from before an operation has lapsed cancels nothing', async () => {
  const user = await User.create();
  const lapsed = await lapse(user, async () => [await user.submit(1n)]);
  await pool.query(
    `UPDATE account_kit.user_operations SET wanted_by = $2, wanted_at = accepted_at + interval '1 hour' WHERE hash = ANY($1)`,
    [lapsed, other.clientId],
  );
  await repairsPass();
  expect((await user.rows()).map(({ kind }) => kind)).toEqual(['call']);
  const { hash } = await user.submitAfterRefusal(10n, { client: other });
  await user.untilIncluded(hash);
});

it('a freeze of an application: cancels nothing in its first minute, however long another application has waited', async () => {
  const user = await User.create();
  const victim = await User.create();
  await user.untilIncluded(await user.submit(100n));
  const release = await holdSignedOperations(pool);
  const first = await user.submit(1n);
  const waiting = await user.submit(10n, { client: other });
  await pool.query(
    `UPDATE account_kit.user_operations SET accepted_at = accepted_at - interval '2 minutes' WHERE hash = $1`,
    [waiting],
  );
  await freezeApplication(kit.client);
  await release();
  for (const value of [1n, 2n]) {
    await victim.untilIncluded(await victim.submit(value, { client: other }));
    await kit.chain.client.mine({ blocks: 1 });
  }
  await pool.query('DELETE FROM account_kit.freezes');
  await pool.query('UPDATE account_kit.user_operations SET next_attempt_at = now() WHERE hash = ANY($1)', [
    [first, waiting],
  ]);
  await user.untilIncluded(first);
  await user.untilIncluded(waiting);
  expect((await user.rows()).map(({ kind }) => kind)).not.toContain('cancellation');
});

it('submitUserOperation: refusals in several lanes want one nonce of the account at a time', async () => {
  const user = await User.create();
  await user.untilIncluded(await user.submit(100n));
  await lapse(user, async () => {
    const hashes: string[] = [];
    for (let lane = 0; lane < MAX_UNFINISHED; lane += 1)
      hashes.push(await user.submit(1n, { lane: String(lane) }));
    return hashes;
  });
  for (let lane = 0; lane < 6; lane += 1) await user.request(1n, { client: other, lane: String(lane) });
  const { rows } = await pool.query(
    `SELECT FROM account_kit.user_operations AS o
     WHERE lower(sender) = lower($1) AND wanted_by IS NOT NULL AND state IN ('signed', 'stuck', 'submitted')
       AND NOT EXISTS (SELECT FROM account_kit.user_operations AS c WHERE c.kind = 'cancellation' AND c.sender = o.sender
         AND c.nonce_key = o.nonce_key AND c.nonce_sequence = o.nonce_sequence)`,
    [user.address],
  );
  expect(rows.length).toBeLessThanOrEqual(1);
  const { hash } = await user.submitAfterRefusal(10n, { client: other });
  await user.untilIncluded(hash);
});

/** A client application whose policy sponsors no chain, and for which executors have paid for 50 cancellations today. */
async function createExhaustedClient(): Promise<Client> {
  const client = await kit.suite.createClient({ scopes: ['accountkit'] });
  const policy = { calls: [{ chainId: kit.chain.chainId, target: 'any' }], maxValue: '1000' };
  await pool.query('INSERT INTO account_kit.policies (client_id, document) VALUES ($1, $2)', [
    client.clientId,
    JSON.stringify(policy),
  ]);
  const user = await User.create();
  await lapse(user, async () => [await user.submit(1n)]);
  await user.submitAfterRefusal(10n, { client });
  const cancellation = (await user.rows()).find(({ kind }) => kind === 'cancellation');
  expect(cancellation).toMatchObject({ client_id: client.clientId });
  await pool.query(
    `INSERT INTO account_kit.user_operations SELECT (jsonb_populate_record(o, jsonb_build_object(
       'id', gen_random_uuid(), 'hash', '0x' || md5(number::text) || md5(number::text), 'state', 'final',
       'cancellation_number', 100 + number))).*
     FROM account_kit.user_operations AS o, generate_series(2, $2::int) AS number WHERE hash = $1`,
    [cancellation?.hash, MAX_CANCELLATIONS_PER_DAY],
  );
  return client;
}

it('cancellations of own executors: are paid for 50 times a day of an application that its policy does not sponsor, which keeps no nonce from others', async () => {
  const exhausted = await createExhaustedClient();
  const [refused, waiting] = [await User.create(), await User.create()];
  await waiting.untilIncluded(await waiting.submit(100n));
  const lapsed = await lapse(refused, async () => [await refused.submit(1n)]);
  await lapse(waiting, async () => [await waiting.submit(1n)]);

  // Their operations wait in the same lane.
  await waiting.submit(2n, { client: exhausted });
  expect(await refused.request(2n, { client: exhausted })).toMatchObject({ status: 409 });
  for (let block = 0; block < 3; block += 1) {
    await kit.chain.client.mine({ blocks: 1 });
    await refused.request(2n, { client: exhausted });
  }
  expect((await waiting.rows()).map(({ kind }) => kind)).not.toContain('cancellation');
  const last = await waiting.submit(4n, { client: other });
  await waiting.untilIncluded(last);
  expect(await waiting.paid()).toBe(106n);
  expect((await waiting.rows()).filter(({ kind }) => kind === 'cancellation')).toMatchObject([
    { client_id: other.clientId, nonce_sequence: '1' },
  ]);

  // Both applications were refused, the exhausted one first.
  expect((await refused.rows()).map(({ kind }) => kind)).toEqual(['call']);
  expect(await refused.request(3n, { client: other })).toMatchObject({ status: 409 });
  await pool.query(
    `UPDATE account_kit.user_operations SET wanted_at = wanted_at - interval '2 minutes' WHERE hash = ANY($1)`,
    [lapsed],
  );
  expect(await refused.request(3n, { client: other })).toMatchObject({ status: 409 });
  // Repairs look once at each block.
  await kit.chain.client.mine({ blocks: 1 });
  const { hash } = await refused.submitAfterRefusal(3n, { client: other });
  await refused.untilIncluded(hash);
  expect(await refused.untilRejected(lapsed)).toEqual([LAPSED]);
  expect(await refused.paid()).toBe(3n);
});

it('a freeze of an account: stops the repair of its lanes for every application, and of no other account', async () => {
  const user = await User.create();
  const lapsed = await lapse(user, async () => [await user.submit(1n)]);
  await pool.query(
    `INSERT INTO account_kit.freezes (scope, subject, reason)
     SELECT 'account', account_id, 'a key was found in a log' FROM account_kit.user_operations WHERE hash = $1`,
    [lapsed[0]],
  );
  // The row is as a request leaves it that was refused a moment before the freeze.
  await pool.query(
    'UPDATE account_kit.user_operations SET wanted_by = $2, wanted_at = now() WHERE hash = ANY($1)',
    [lapsed, other.clientId],
  );
  const victim = await User.create();
  await lapse(victim, async () => [await victim.submit(1n)]);
  const accepted = await victim.submitAfterRefusal(10n);
  await victim.untilIncluded(accepted.hash);
  await kit.chain.client.mine({ blocks: 1 });
  await victim.untilIncluded(await victim.submit(10n));
  expect((await user.rows()).map(({ kind }) => kind)).toEqual(['call']);
  await pool.query('DELETE FROM account_kit.freezes');
  const { hash } = await user.submitAfterRefusal(10n, { client: other });
  await user.untilIncluded(hash);
});
