import { randomUUID } from 'node:crypto';
import { createDatabase, type Database, queryRows } from '@app/database';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { pino } from 'pino';
import { capSchema, type Reservation, toReservations } from '../../apps/account-kit/src/limits/cap.js';
import {
  deletePastUsage,
  reserve,
  settleOperations,
} from '../../apps/account-kit/src/limits/reservations.queries.js';
import { deleteEndedKeys } from '../../apps/account-kit/src/user-operations/idempotency-keys.queries.js';
import { storage } from '../../apps/account-kit/src/database/storage.js';
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.js';

const CHAIN = 1;
const CAP_MAX = 100n;
const [GAS, VALUE] = (['gas', 'value'] as const).map((of) =>
  capSchema.parse({ of, chainId: CHAIN, per: 'application', period: 'day', max: String(CAP_MAX) }),
);
const ACCOUNT = randomUUID();
const TODAY = new Date('2027-12-31T23:59:59.999Z');
const TOMORROW = new Date('2028-01-01T00:00:00.000Z');

let fresh: FreshDatabase;
let database: Database;

beforeAll(async () => {
  fresh = await freshDatabase('account-kit');
  database = createDatabase(
    storage,
    { DATABASE_URL: fresh.url, DATABASE_POOL_SIZE: 8, DATABASE_STATEMENT_TIMEOUT_MS: 5_000 },
    { name: 'account-kit', logger: pino({ level: 'silent' }) },
  );
  await database.connect();
  await database.query(
    `INSERT INTO account_kit.smart_accounts (id, platform, platform_user_id, account_version, key_root_id, signer_address,
       evm_address, solana_addresses, action_address) VALUES ($1, 'chat', '1', '0.8', 'root', '0x', '0x', '{}', '')`,
    [ACCOUNT],
  );
});

afterAll(async () => {
  await database.close();
  await fresh.drop();
});

const uses = (gas: bigint, value: bigint) =>
  [GAS, VALUE].flatMap((cap, index) => {
    const amount = index === 0 ? gas : value;
    return cap && amount > 0n ? [{ cap, amount, ifReverted: index === 0 ? amount : 0n }] : [];
  });

/** Stores an operation as accepted, unless a cap has no room. */
function accept(clientId: string, gas: bigint, value: bigint, at = TODAY): Promise<string | undefined> {
  const id = randomUUID();
  const reservations: Reservation[] = toReservations(uses(gas, value), ACCOUNT, at);
  return database
    .transaction(async (manager) => {
      await queryRows(
        manager,
        `INSERT INTO account_kit.user_operations (id, account_id, client_id, kind, chain_id, account_version, sender, nonce_key,
           nonce_sequence, deploys_account, call_data, call_gas_limit, verification_gas_limit, pre_verification_gas,
           max_fee_per_gas, max_priority_fee_per_gas, state, state_seq, accepted_at, changed_at, hash, signature)
         VALUES ($1::uuid, $2, $3, 'call', $4, '0.8', '0x', 0, ('x' || left($1::text, 8))::bit(32)::bigint, false, '', 0, 0, 0, 0, 0,
           'accepted', 1, now(), now(), $1::text, '')`,
        [id, ACCOUNT, clientId, CHAIN],
      );
      const [full = []] = await reserve(manager, [{ operationId: id, clientId, reservations }]);
      if (full.length > 0) throw new RangeError(full.join());
      return id;
    })
    .catch((error: unknown) => {
      if (error instanceof RangeError) return undefined;
      throw error;
    });
}

interface Change {
  readonly state: string;
  readonly success: boolean;
  readonly gasCost: bigint;
}

const change = (id: string, { state, success, gasCost }: Change): Promise<void> =>
  database.transaction(async (manager) => {
    await queryRows(
      manager,
      `UPDATE account_kit.user_operations SET state = $2, success = $3, actual_gas_cost = $4 WHERE id = $1`,
      [id, state, success, String(gasCost)],
    );
    await settleOperations(manager, [id]);
    // Repeated, it changes nothing.
    await settleOperations(manager, [id]);
  });

async function readUsage(clientId: string): Promise<Record<string, bigint>> {
  const rows = (await database.query(
    `SELECT left(cap_key, 3) || ' ' || to_char(period_start, 'YYYY-MM-DD') AS key, used::text FROM account_kit.cap_usage
     WHERE client_id = $1 AND used > 0`,
    [clientId],
  )) as { key: string; used: string }[];
  return Object.fromEntries(rows.map(({ key, used }) => [key, BigInt(used)]));
}

const amount = fc.bigInt({ min: 0n, max: 40n });
const newOperation = fc.record({ gas: amount, value: amount });
const changeOf = fc.record({
  operation: fc.nat(),
  state: fc.constantFrom(
    ...['signed', 'submitted', 'included', 'final', 'reverted', 'rejected', 'expired', 'stuck'],
  ),
  success: fc.boolean(),
  gasCost: amount,
});

interface Amounts {
  readonly gas: bigint;
  readonly value: bigint;
}

/** What an operation counts for after its last change. */
function toCounted(operation: Amounts, { state, success, gasCost }: Change): Amounts {
  if (state === 'rejected' || state === 'expired') return { gas: 0n, value: 0n };
  if (!['final', 'reverted'].includes(state)) return operation;
  // Nothing was reserved of a cap, so nothing counts.
  return { gas: operation.gas > 0n ? gasCost : 0n, value: success ? operation.value : 0n };
}

describe('reservations of caps', () => {
  it('reservations of caps: count for what operations have used, in whichever order their states change', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(newOperation, { minLength: 1, maxLength: 6 }),
        fc.array(changeOf, { maxLength: 12 }),
        async (operations, changes) => {
          const clientId = randomUUID();
          const known: { id: string; counted: Amounts; reserved: Amounts }[] = [];
          const total = (of: 'gas' | 'value') => known.reduce((sum, { counted }) => sum + counted[of], 0n);
          for (const operation of operations) {
            const hasRoom =
              total('gas') + operation.gas <= CAP_MAX && total('value') + operation.value <= CAP_MAX;
            const id = await accept(clientId, operation.gas, operation.value);
            expect(id !== undefined).toBe(hasRoom);
            if (id !== undefined) known.push({ id, counted: operation, reserved: operation });
          }
          for (const one of changes) {
            const operation = known[one.operation % Math.max(known.length, 1)];
            if (!operation) continue;
            await change(operation.id, one);
            operation.counted = toCounted(operation.reserved, one);
            const expected = { 'gas 2027-12-31': total('gas'), 'val 2027-12-31': total('value') };
            expect(await readUsage(clientId)).toEqual(
              Object.fromEntries(Object.entries(expected).filter(([, used]) => used > 0n)),
            );
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  it('reservations of caps: never exceed a cap, however many operations are accepted and settled at once', async () => {
    const clientId = randomUUID();
    const accepted = await Promise.all(Array.from({ length: 60 }, () => accept(clientId, 7n, 3n)));
    const ids = accepted.filter((id) => id !== undefined);
    expect(ids).toHaveLength(14);
    // Half of them give everything back while others want it.
    const [more] = await Promise.all([
      Promise.all(Array.from({ length: 40 }, () => accept(clientId, 7n, 3n))),
      ...ids.slice(7).map((id) => change(id, { state: 'rejected', success: false, gasCost: 0n })),
    ]);
    const count = ids.length - 7 + more.filter((id) => id !== undefined).length;
    const usage = await readUsage(clientId);
    expect(usage).toEqual({ 'gas 2027-12-31': 7n * BigInt(count), 'val 2027-12-31': 3n * BigInt(count) });
    expect(usage['gas 2027-12-31']).toBeLessThanOrEqual(CAP_MAX);
  });

  it('reservations of caps: are of the day of acceptance, also when they are settled on the next one', async () => {
    const clientId = randomUUID();
    const last = await accept(clientId, CAP_MAX, 0n, TODAY);
    expect(await accept(clientId, 1n, 0n, TODAY)).toBeUndefined();
    await accept(clientId, CAP_MAX, 0n, TOMORROW);
    expect(await accept(clientId, 1n, 0n, TOMORROW)).toBeUndefined();
    await change(String(last), { state: 'final', success: true, gasCost: 30n });
    expect(await readUsage(clientId)).toEqual({ 'gas 2027-12-31': 30n, 'gas 2028-01-01': CAP_MAX });
  });

  it('reservations of caps: count for the worst case until an operation is final, whatever one node says about its inclusion', async () => {
    const clientId = randomUUID();
    const id = String(await accept(clientId, 60n, 60n));
    await change(id, { state: 'included', success: false, gasCost: 1n });
    expect(await readUsage(clientId)).toEqual({ 'gas 2027-12-31': 60n, 'val 2027-12-31': 60n });
    expect(await accept(clientId, 41n, 0n)).toBeUndefined();
    await change(id, { state: 'submitted', success: false, gasCost: 0n });
    await change(id, { state: 'included', success: true, gasCost: 10n });
    await change(id, { state: 'final', success: true, gasCost: 10n });
    expect(await readUsage(clientId)).toEqual({ 'gas 2027-12-31': 10n, 'val 2027-12-31': 60n });
    expect(await accept(clientId, 90n, 0n)).toBeDefined();
  });

  it('reservations of caps: are deleted when their period is long over', async () => {
    const clientId = randomUUID();
    await accept(clientId, 1n, 1n, TODAY);
    await accept(clientId, 2n, 2n, TOMORROW);
    while (await deletePastUsage(database, TOMORROW, 100));
    expect(await readUsage(clientId)).toEqual({ 'gas 2028-01-01': 2n, 'val 2028-01-01': 2n });
  });
});

describe('idempotency keys', () => {
  it('idempotency keys: are deleted a day after their operation has ended, and not while it is under way', async () => {
    const clientId = randomUUID();
    const bind = async (state: string, hoursAgo: number) => {
      const id = String(await accept(clientId, 0n, 0n));
      await database.query(
        `UPDATE account_kit.user_operations SET state = $2, changed_at = now() - $3 * interval '1 hour' WHERE id = $1`,
        [id, state, hoursAgo],
      );
      await database.query(
        `INSERT INTO account_kit.idempotency_keys (client_id, account_id, key_hash, request_hash, operation_id, created_at)
         VALUES ($1, $2, $3, '', $4, now() - interval '48 hours')`,
        [clientId, ACCOUNT, Buffer.from(id), id],
      );
      return id;
    };
    const ended = [await bind('final', 25), await bind('rejected', 25)];
    const kept = [await bind('final', 23), await bind('stuck', 47)];
    expect(await deleteEndedKeys(database, 100)).toBe(ended.length);
    const rows = await database.query('SELECT operation_id AS id FROM account_kit.idempotency_keys');
    expect(rows).toHaveLength(kept.length);
    expect(rows).toEqual(expect.arrayContaining(kept.map((id) => ({ id }))));
  });
});
