import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '../support/until.js';
import { AccountKitWorld, STATEMENT_TIMEOUT_MS } from './account-kit-world.js';
import type { HeldStatement } from './hold.js';
import type { Instance, StoppableInstance } from './instance-places.js';

const CONCURRENT = 200;
const RETRY_AFTER_MS = 100;

/** Held statements of the killed process. */
const MOMENTS = {
  'is not stored yet': { table: 'idempotency_keys', event: 'INSERT' },
  'is accepted and not signed': {
    table: 'user_operations',
    event: 'UPDATE',
    when: `OLD.hash IS NULL AND NEW.hash IS NOT NULL`,
  },
  'is signed and in no transaction': { table: 'executor_transactions', event: 'INSERT' },
  'is sent, and its inclusion is not stored': {
    table: 'executor_transactions',
    event: 'UPDATE',
    when: `NEW.state = 'mined'`,
  },
} satisfies Record<string, HeldStatement>;

let world: AccountKitWorld;
const instances: StoppableInstance[] = [];

beforeAll(async () => {
  world = await AccountKitWorld.start();
});

afterEach(async () => {
  await Promise.all(instances.splice(0).map((instance) => instance.stop()));
});

afterAll(() => world.stop());

async function startInstance(env: Record<string, string> = {}): Promise<Instance> {
  const instance = await world.startInstance(env);
  instances.push(instance);
  return instance;
}

const payOften = (instance: Instance, userId: string, value: bigint) =>
  Array.from({ length: CONCURRENT }, () =>
    world.submit(instance, userId, value, { 'Idempotency-Key': 'pay-once' }),
  );

/** @returns how many payments were accepted */
async function payUntilFrozen(instance: Instance, userId: string): Promise<bigint> {
  for (let accepted = 0n; ;) {
    const { status, body } = await world.submit(instance, userId, 1n);
    if (status === 403) return accepted;
    if (status === 200) accepted += 1n;
    // Too many are unfinished.
    else if (status === 429) await sleep(RETRY_AFTER_MS);
    else throw new Error(`${status} ${JSON.stringify(body)}`);
  }
}

describe('one idempotency key', () => {
  it('T105: one idempotency key: has one effect on the chain for 200 requests at once', async () => {
    const instance = await startInstance();
    await world.fundedAccount(instance, '1');
    const before = await world.received();
    const responses = await Promise.all(payOften(instance, '1', 7n));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    const hashes = new Set(responses.map(({ body }) => body.userOperationHash));
    const rows = await world.untilIncluded('1');
    expect(rows.map(({ hash }) => hash)).toEqual([...hashes]);
    expect(await world.received()).toBe(before + 7n);
    expect(await world.hasNoGap()).toBe(true);
  });

  it.each(Object.entries(MOMENTS))(
    'T106: one idempotency key: has one effect on the chain when the process is killed while its operation %s',
    async (moment, held: HeldStatement) => {
      const userId = String(10 + Object.keys(MOMENTS).indexOf(moment));
      const doomed = await startInstance();
      await world.fundedAccount(doomed, userId);
      const before = await world.received();
      const hold = await world.hold(held);
      const requests = Promise.allSettled(payOften(doomed, userId, 7n));
      await hold.untilReached();
      await doomed.app.stop('SIGKILL');
      await hold.discard();
      const answered = (await requests).flatMap((request) =>
        request.status === 'fulfilled' && request.value.status === 200
          ? [request.value.body.userOperationHash]
          : [],
      );

      const heir = await startInstance();
      const stored = await world.operationsOf(userId);
      if (stored.length > 0) await world.untilIncluded(userId);
      const repeated = await world.submit(heir, userId, 7n, { 'Idempotency-Key': 'pay-once' });
      expect(repeated.status).toBe(200);
      const [row, ...others] = await world.untilIncluded(userId);
      expect(others).toEqual([]);
      expect(row).toMatchObject({ sequence: 0, success: true, hash: repeated.body.userOperationHash });
      expect(new Set([...answered, repeated.body.userOperationHash])).toEqual(new Set([row?.hash]));
      expect(await world.received()).toBe(before + 7n);
      expect(await world.hasNoGap()).toBe(true);
    },
  );
});

describe('instances', () => {
  it('T107: instances: execute each of 60 operations once when two of them share two executors', async () => {
    const [first, second] = [await startInstance(), await startInstance()];
    const users = Array.from({ length: 20 }, (_, index) => String(100 + index));
    for (const user of users) await world.fundedAccount(first, user);
    const before = await world.received();
    // The first operation of an account deploys it; only then it takes more.
    for (const count of [1, 2]) {
      const responses = await Promise.all(
        users.flatMap((user, index) =>
          Array.from({ length: count }, () => world.submit(index % 2 === 0 ? first : second, user, 1n)),
        ),
      );
      expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
      for (const user of users) await world.untilIncluded(user);
    }
    for (const user of users)
      expect(await world.operationsOf(user)).toMatchObject(
        [0, 1, 2].map((sequence) => ({ sequence, success: true })),
      );
    expect(await world.received()).toBe(before + 60n);
    expect(await world.hasNoGap()).toBe(true);
    const { rows } = await world.pool.query(
      `SELECT transaction_id FROM account_kit.executor_transaction_variants
       GROUP BY raw, transaction_id HAVING count(*) > 1
       UNION ALL SELECT operation_id FROM account_kit.executor_transaction_operations
       GROUP BY operation_id HAVING count(*) > 1`,
    );
    expect(rows).toEqual([]);
  });

  it('T133: instances: store nothing as sent after a freeze, and go on where they were when it ends', async () => {
    const patient = { DATABASE_STATEMENT_TIMEOUT_MS: String(STATEMENT_TIMEOUT_MS) };
    const all = [await startInstance(patient), await startInstance(patient)];
    const [first] = all;
    if (!first) throw new Error('nothing was started');
    const users = Array.from({ length: 20 }, (_, index) => String(300 + index));
    for (const user of users) await world.fundedAccount(first, user);
    await Promise.all(users.map((user) => world.submit(first, user, 1n)));
    for (const user of users) await world.untilIncluded(user);
    const before = await world.received();
    const requests = users.map((user, index) => payUntilFrozen(all[index % 2] ?? first, user));
    // Signed operations gather behind a transaction that is being stored, for which the freeze has to wait.
    const hold = await world.hold({ table: 'executor_transactions', event: 'INSERT' });
    await hold.untilReached();
    await until('operations wait to be sent', async () => (await world.countSigned()) > 40);
    await hold.untilFreshlyReached();
    const freeze = world.freezeEverything();
    await world.untilFreezeWaits();
    await hold.release();
    await freeze;
    const sent = await world.countTransactions();
    const accepted = (await Promise.all(requests)).reduce((sum, count) => sum + count, 0n);
    await world.untilExecutorsHaveLooked();
    expect(await world.countTransactions()).toBe(sent);

    await world.pool.query('DELETE FROM account_kit.freezes');
    await until(
      'what was accepted is executed once',
      async () => (await world.received()) >= before + accepted,
    );
    await world.untilExecutorsHaveLooked();
    expect(await world.received()).toBe(before + accepted);
    expect(await world.hasNoGap()).toBe(true);
  });

  it('T108: instances: end when their signer process is killed; what it did not sign is refused, and executed once when it is repeated', async () => {
    const doomed = await startInstance();
    await world.fundedAccount(doomed, '200');
    await world.fundedAccount(doomed, '201');
    // The process has opened the key of this account, and not that of the other one.
    await world.submit(doomed, '200', 1n);
    await world.untilIncluded('200');
    const before = await world.received();
    const signer = findSigner(doomed);
    process.kill(signer, 'SIGSTOP');
    const key = { 'Idempotency-Key': 'pay-once' };
    // This operation is sent before the other one, so that it waits for the signer when that is killed.
    const unopened = world.submit(doomed, '201', 7n);
    const request = world.submit(doomed, '200', 7n, key);
    await until('the operation is accepted', async () => (await world.operationsOf('200')).length === 2);
    process.kill(signer, 'SIGKILL');
    const unavailable = { status: 503, body: { error: { details: { code: 'key_vault_unavailable' } } } };
    expect(await request).toMatchObject(unavailable);
    expect(await unopened).toMatchObject(unavailable);
    await until('the app has ended', () => doomed.app.process.exitCode !== null);
    expect(await world.operationsOf('200')).toMatchObject([
      { success: true },
      { state: 'rejected', hash: null },
    ]);
    // Nothing was reserved for it.
    expect(await world.operationsOf('201')).toEqual([]);

    const heir = await startInstance();
    const repeated = await world.submit(heir, '200', 7n, key);
    expect(repeated.status).toBe(200);
    await until(
      'the operation is included',
      async () => (await world.operationsOf('200'))[2]?.success === true,
    );
    expect(await world.operationsOf('200')).toHaveLength(3);
    expect(await world.received()).toBe(before + 7n);
  });
});

/** The only child of the app. */
function findSigner({ app }: Instance): number {
  const { pid } = app.process;
  const children = readFileSync(`/proc/${String(pid)}/task/${String(pid)}/children`, 'utf8').trim();
  expect(children).toMatch(/^\d+$/);
  return Number(children);
}
