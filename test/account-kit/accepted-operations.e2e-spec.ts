import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { ChainConfig } from '@app/chain/evm';
import { createDatabase, type Database, lockTransaction } from '@app/database';
import type { ServiceContext } from '@app/service';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { pino } from 'pino';
import { capSchema } from '../../apps/account-kit/src/limits/cap.js';
import { storage } from '../../apps/account-kit/src/database/storage.js';
import { ExecutorKeysConfig } from '../../apps/account-kit/src/custody/executor-keys.config.js';
import { ExecutorChainsConfig } from '../../apps/account-kit/src/user-operations/execution/executor.config.js';
import {
  OperationStateHooks,
  OperationStateRepository,
  toAccountLock,
} from '../../apps/account-kit/src/user-operations/execution/operation-state.repository.js';
import type { SignedOperationNotifier } from '../../apps/account-kit/src/user-operations/execution/signed-operations-signal.js';
import type { SignerClient } from '../../apps/account-kit/src/custody/signer-client.js';
import {
  MAX_ACCEPTANCE_MS,
  MAX_SIGNING_MS,
  RequestDeadline,
} from '../../apps/account-kit/src/request-deadline.js';
import { policyForbidden } from '../../apps/account-kit/src/policies/rules/policies.errors.js';
import {
  AcceptOperationService,
  type DatedPlan,
} from '../../apps/account-kit/src/user-operations/accept-operation.service.js';
import {
  OperationSigningService,
  type UnsignedOperationJudge,
} from '../../apps/account-kit/src/user-operations/operation-signing.service.js';
import { UnsignedOperationsSweeper } from '../../apps/account-kit/src/user-operations/sweepers.js';
import type { PaymasterDataService } from '../../apps/account-kit/src/policies/sponsoring/paymaster-data.service.js';
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.js';
import { until } from '../support/until.js';
import { createStateEvents } from './solana/solana-world.js';

const CHAIN = 1;
const CAP = capSchema.parse({ of: 'value', chainId: CHAIN, per: 'application', period: 'day', max: '5' });

const ALLOWING = { findRefusal: () => Promise.resolve(undefined) } as unknown as UnsignedOperationJudge;

const createSigning = (signer: object, judge = ALLOWING) =>
  new OperationSigningService(
    database,
    signer as unknown as SignerClient,
    {} as PaymasterDataService,
    states,
    { notify: () => undefined } as unknown as SignedOperationNotifier,
    judge,
  );

let fresh: FreshDatabase;
let database: Database;
let states: OperationStateRepository;
let accepting: AcceptOperationService;

beforeAll(async () => {
  fresh = await freshDatabase('account-kit');
  database = createDatabase(
    storage,
    { DATABASE_URL: fresh.url, DATABASE_POOL_SIZE: 4, DATABASE_STATEMENT_TIMEOUT_MS: 5_000 },
    { name: 'account-kit', logger: pino({ level: 'silent' }) },
  );
  await database.connect();
  states = new OperationStateRepository(database, new OperationStateHooks(), createStateEvents(database));
  accepting = new AcceptOperationService(
    database,
    states,
    new ExecutorChainsConfig(new ChainConfig(), new ExecutorKeysConfig()),
  );
});

afterAll(async () => {
  await database.close();
  await fresh.drop();
});

async function createAccount(): Promise<string> {
  const id = randomUUID();
  await database.query(
    `INSERT INTO account_kit.smart_accounts (id, platform, platform_user_id, account_version, key_root_id, signer_address,
       evm_address, solana_addresses, action_address) VALUES ($1::uuid, 'chat', (random() * 1e15)::bigint::text, '0.8', 'root', '0x', $1::text, '{}', '')`,
    [id],
  );
  return id;
}

/** A plan of a deployed account that sends this value. */
async function planOf(
  clientId: string,
  value: bigint,
  { accountId = '', chainId = CHAIN, isDeployed = true, nextSequence = 0n } = {},
): Promise<DatedPlan> {
  return {
    operation: {
      ...{
        id: randomUUID(),
        accountId: accountId || (await createAccount()),
        clientId,
        kind: 'call',
        chainId,
      },
      ...{ nonceKey: 0n, accountVersion: '0.8', sender: '0x01', deploysAccount: !isDeployed, callData: '0x' },
      ...{ callGasLimit: 1n, verificationGasLimit: 1n, preVerificationGas: 1n },
      ...{ maxFeePerGas: 1n, maxPriorityFeePerGas: 1n },
    },
    state: { isDeployed, nextSequence, funds: 0n },
    value,
    uses: [{ cap: CAP, amount: value, ifReverted: 0n }],
    deadline: new RequestDeadline(performance.now()),
  };
}

const storedOf = ({ operation }: DatedPlan) =>
  database.query('SELECT state FROM account_kit.user_operations WHERE account_id = $1', [
    operation.accountId,
  ]) as Promise<{ state: string }[]>;
const usedOf = ({ operation }: DatedPlan) =>
  database.query('SELECT used::int FROM account_kit.cap_usage WHERE client_id = $1', [operation.clientId]);

it('AcceptOperationService: accepts 4 unfinished operations of an account on a chain with a bundler, and 16 on others', async () => {
  const bundled = 2;
  process.env[`BUNDLER_URL_${bundled}`] = 'http://127.0.0.1:1';
  const chains = new ExecutorChainsConfig(new ChainConfig(), new ExecutorKeysConfig());
  Reflect.deleteProperty(process.env, `BUNDLER_URL_${bundled}`);
  const service = new AcceptOperationService(database, states, chains);
  for (const [chainId, limit] of [
    [bundled, 4],
    [CHAIN, 16],
  ] as const) {
    const accountId = await createAccount();
    const accept = async () =>
      service.accept({ ...(await planOf('many', 0n, { accountId, chainId })), uses: [] }, undefined);
    for (let count = 0; count < limit; count += 1) await accept();
    await expect(accept()).rejects.toMatchObject({
      statusCode: 429,
      message: expect.stringContaining(`${limit} unfinished operations`),
      details: { code: 'unfinished_operation_limit_exceeded' },
    });
  }
});

describe('AcceptOperationService: an operation that would deploy an account, by what a node says', () => {
  /** Another operation of the account at the same nonce key, as the database has it. */
  const store = (
    accountId: string,
    sequence: number,
    state: string,
    { kind = 'call', deploys = true } = {},
  ) =>
    database.query(
      `INSERT INTO account_kit.user_operations (id, account_id, client_id, kind, chain_id, account_version, sender, nonce_key,
         nonce_sequence, deploys_account, call_data, call_gas_limit, verification_gas_limit, pre_verification_gas,
         max_fee_per_gas, max_priority_fee_per_gas, state, state_seq, hash, signature, accepted_at, changed_at)
       VALUES (gen_random_uuid(), $1, 'deploying', $2, $3, '0.8', '0x01', 0, $4, $5, '', 1, 1, 1, 1, 1, $6, 2,
         CASE WHEN $7 THEN gen_random_uuid()::text END, CASE WHEN $7 THEN '\\x01'::bytea END, now(), now())`,
      [accountId, kind, CHAIN, sequence, deploys, state, !['accepted', 'rejected'].includes(state)],
    );
  const accept = async (accountId: string) =>
    accepting.accept(await planOf('deploying', 0n, { accountId, isDeployed: false }), undefined);

  // The sweeper of later tests would sign the cancellations.
  afterEach(() => database.query(`DELETE FROM account_kit.user_operations WHERE client_id = 'deploying'`));

  it.each([
    ['included', { deploys: true }],
    ['reverted', { deploys: true }],
    ['final', { deploys: false }],
  ])(
    'AcceptOperationService, an operation that would deploy an account, by what a node says: is refused when one of its operations is %s (%j)',
    async (state, options) => {
      const accountId = await createAccount();
      await store(accountId, 0, state, options);
      await expect(accept(accountId)).rejects.toMatchObject({
        statusCode: 409,
        details: { code: 'account_deploying' },
      });
    },
  );

  it.each(['accepted', 'signed', 'submitted', 'stuck'])(
    'AcceptOperationService, an operation that would deploy an account, by what a node says: is refused while a cancellation of an expired operation, which deploys it, is %s',
    async (state) => {
      const accountId = await createAccount();
      await store(accountId, 0, 'expired');
      await store(accountId, 0, state, { kind: 'cancellation' });
      await expect(accept(accountId)).rejects.toMatchObject({ details: { code: 'account_deploying' } });
    },
  );

  it('AcceptOperationService, an operation that would deploy an account, by what a node says: is accepted when none of its operations can deploy it any more', async () => {
    const accountId = await createAccount();
    await store(accountId, 0, 'rejected');
    await accept(accountId);
  });
});

it('AcceptOperationService: answers each of the operations that are accepted together by itself', async () => {
  const [isFrozen, isFree, alsoFree] = [
    await planOf('frozen', 1n),
    await planOf('free', 1n),
    await planOf('free', 2n),
  ];
  const full = await planOf('full', 5n);
  await accepting.accept(full, undefined);
  const late = await planOf('full', 1n);
  await database.query(
    `INSERT INTO account_kit.freezes (scope, subject, reason) VALUES ('account', $1, 'test')`,
    [isFrozen.operation.accountId],
  );
  const transactions = jest.spyOn(database, 'transaction');
  const accept = (...plans: DatedPlan[]) =>
    Promise.allSettled(plans.map((plan) => accepting.accept(plan, undefined)));
  const refusal = (code: string) => ({
    status: 'rejected',
    reason: expect.objectContaining({ statusCode: 403, details: expect.objectContaining({ code }) }),
  });

  expect(await accept(isFrozen, late, isFree, alsoFree)).toEqual([
    refusal('frozen'),
    refusal('policy_limit_exceeded'),
    { status: 'fulfilled', value: undefined },
    { status: 'fulfilled', value: undefined },
  ]);
  expect(await storedOf(isFrozen)).toEqual([]);
  expect(await storedOf(late)).toEqual([]);
  expect(await storedOf(isFree)).toEqual([{ state: 'accepted' }]);
  expect(await storedOf(alsoFree)).toEqual([{ state: 'accepted' }]);
  expect(await usedOf(isFree)).toEqual([{ used: 3 }]);
  expect(await usedOf(full)).toEqual([{ used: 5 }]);
  // All together, those with room, and the other one alone.
  expect(transactions).toHaveBeenCalledTimes(3);

  // The application at its cap has no part in the next transaction of the others.
  transactions.mockClear();
  const [again, other] = [await planOf('full', 1n), await planOf('free', 1n)];
  expect(await accept(again, other)).toEqual([
    refusal('policy_limit_exceeded'),
    { status: 'fulfilled', value: undefined },
  ]);
  expect(transactions).toHaveBeenCalledTimes(2);
  expect(await storedOf(other)).toEqual([{ state: 'accepted' }]);
});

describe('AcceptOperationService: a request that takes too long', () => {
  const timedOut = { statusCode: 503, details: { code: 'acceptance_timeout' } };
  const keyOf = ({ operation: { accountId, clientId } }: DatedPlan) => ({
    ...{ accountId, clientId, key: 'late', requestHash: Buffer.alloc(32) },
  });
  const due = (leftMs: number) => new RequestDeadline(performance.now() - MAX_ACCEPTANCE_MS + leftMs);

  it.each([true, false])('stores nothing after its deadline (with a key: %s)', async (hasKey) => {
    const plan = { ...(await planOf('late', 1n)), deadline: due(0) };
    const accepted = accepting.accept(plan, hasKey ? keyOf(plan) : undefined);
    await expect(accepted).rejects.toMatchObject(timedOut);
    expect(await storedOf(plan)).toEqual([]);
    expect(await usedOf(plan)).toEqual([]);
  });

  it('AcceptOperationService, a request that takes too long: stores nothing when its caller has closed the connection', async () => {
    const plan = await planOf('gone', 1n);
    const deadline = new RequestDeadline(performance.now(), AbortSignal.abort());
    await expect(accepting.accept({ ...plan, deadline }, undefined)).rejects.toMatchObject(timedOut);
    expect(await storedOf(plan)).toEqual([]);
  });

  it.each([true, false])(
    'stores nothing when the deadline passes while it waits for a lock, and the other operations of its transaction (with a key: %s)',
    async (hasKey) => {
      const client = hasKey ? 'waiting-with-key' : 'waiting';
      const plan = { ...(await planOf(client, 1n)), deadline: due(1_000) };
      const inTime = await planOf('in-time', 1n);
      let outcomes: PromiseSettledResult<void>[] = [];
      await database.transaction(async (manager) => {
        await lockTransaction(manager, toAccountLock(plan.operation.accountId, CHAIN));
        const accepted = Promise.allSettled([
          accepting.accept(plan, hasKey ? keyOf(plan) : undefined),
          accepting.accept(inTime, undefined),
        ]).then((settled) => (outcomes = settled));
        await until('the deadline is past', () => plan.deadline.isPast);
        void accepted;
      });
      await until('both have ended', () => outcomes.length === 2);
      expect(outcomes).toMatchObject([{ status: 'rejected', reason: timedOut }, { status: 'fulfilled' }]);
      expect(await storedOf(plan)).toEqual([]);
      expect(await usedOf(plan)).toEqual([]);
      expect(
        await database.query('SELECT FROM account_kit.idempotency_keys WHERE client_id = $1', [client]),
      ).toEqual([]);
      expect(await storedOf(inTime)).toEqual([{ state: 'accepted' }]);
    },
  );

  it.each([
    ['without a key is rejected', undefined, 'rejected'],
    ['with a key is signed', 'slow', 'signed'],
  ])(
    'AcceptOperationService, a request that takes too long: %s when the signer answers long after the acceptance',
    async (_name, key, state) => {
      const plan = await planOf('slow-signer', 1n);
      const { id } = plan.operation;
      await accepting.accept(plan, key === undefined ? undefined : keyOf(plan));
      const signUserOperation = async () => {
        await database.query(
          `UPDATE account_kit.user_operations SET accepted_at = now() - $2 * interval '1 ms' WHERE id = $1`,
          [id, MAX_SIGNING_MS],
        );
        return { hash: `0x${id.replaceAll('-', '').repeat(2)}`, signature: '0x01' };
      };
      const signing = createSigning({ signUserOperation });
      const [outcome] = await Promise.allSettled([
        signing.signAccepted(id, { needsSponsor: false, chainId: CHAIN }),
      ]);
      expect(outcome.status).toBe(state === 'signed' ? 'fulfilled' : 'rejected');
      expect(await storedOf(plan)).toEqual([{ state }]);
    },
  );
});

describe('a request that signs an operation which another one', () => {
  const HASH = `0x${'ab'.repeat(32)}` as const;

  /** The signer refuses, because the row has another state than the request has read. */
  async function signAfter(meanwhile: (id: string) => Promise<unknown>): Promise<string> {
    const plan = await planOf('signing', 0n);
    await accepting.accept(plan, undefined);
    const signUserOperation = async (id: string) => {
      await meanwhile(id);
      throw new Error('The signer refused signUserOperation: the operation is not accepted');
    };
    const signing = createSigning({ signUserOperation });
    return signing.sign(plan.operation.id);
  }

  it('request that signs an operation which another one: has signed meanwhile gets the same hash', async () => {
    const hash = await signAfter((id) => states.markSigned(id, { hash: HASH, signature: '0x01' }));
    expect(hash).toBe(HASH);
  });

  it('request that signs an operation which another one: has rejected meanwhile is told to repeat it', async () => {
    const reject = (id: string) =>
      database.transaction((manager) => states.rejectUnsigned(manager, id, 'the keys are away'));
    await expect(signAfter(reject)).rejects.toMatchObject({
      statusCode: 503,
      details: { code: 'operation_unavailable' },
    });
  });
});

/** @returns what another process signs of these operations, and stops when the last of them has left `accepted` */
async function sweep(last: DatedPlan, judge: UnsignedOperationJudge): Promise<string[]> {
  const signed: string[] = [];
  const signUserOperation = (id: string) => {
    signed.push(id);
    return Promise.resolve({ hash: `0x${id.replaceAll('-', '').repeat(2)}`, signature: '0x01' });
  };
  const signing = createSigning({ signUserOperation }, judge);
  const context = { logger: pino({ level: 'silent' }) } as unknown as ServiceContext;
  const sweeper = new UnsignedOperationsSweeper(context, database, signing);
  sweeper.onApplicationBootstrap();
  await until('the last one is ended', async () => (await storedOf(last))[0]?.state !== 'accepted');
  await sweeper.onModuleDestroy();
  return signed;
}

/** Stores an operation as a process that died has left it. */
async function abandon(plan: DatedPlan, age: string, key?: string): Promise<void> {
  const { id: operationId, accountId, clientId } = plan.operation;
  const requestHash = Buffer.alloc(32);
  await accepting.accept(plan, key === undefined ? undefined : { clientId, accountId, key, requestHash });
  await database.query(
    'UPDATE account_kit.user_operations SET accepted_at = now() - $2::interval WHERE id = $1',
    [operationId, age],
  );
}

it('UnsignedOperationsSweeper: signs operations with an idempotency key within five minutes, and rejects others', async () => {
  const plans = await Promise.all([1n, 1n, 1n].map((value) => planOf('abandoned', value)));
  const [old, unkeyed, recent] = plans as [DatedPlan, DatedPlan, DatedPlan];
  await abandon(old, '6 minutes', 'old');
  await abandon(unkeyed, '1 minute');
  await abandon(recent, '30 seconds', 'recent');
  expect(await sweep(recent, ALLOWING)).toEqual([recent.operation.id]);
  expect(await storedOf(old)).toEqual([{ state: 'rejected' }]);
  expect(await storedOf(unkeyed)).toEqual([{ state: 'rejected' }]);
  expect(await storedOf(recent)).toEqual([{ state: 'signed' }]);
});

it('UnsignedOperationsSweeper: rejects an operation that the policy of now forbids, and signs the next one', async () => {
  const [forbidden, next] = [await planOf('tightened', 1n), await planOf('as-before', 1n)];
  await abandon(forbidden, '1 minute', 'forbidden');
  await abandon(next, '30 seconds', 'next');
  const findRefusal = (id: string) =>
    Promise.resolve(id === forbidden.operation.id ? policyForbidden('it is tighter now') : undefined);
  expect(await sweep(next, { findRefusal } as unknown as UnsignedOperationJudge)).toEqual([
    next.operation.id,
  ]);
  expect(await storedOf(forbidden)).toEqual([{ state: 'rejected' }]);
});

it('UnsignedOperationsSweeper: goes on with other operations when one of them fails', async () => {
  const [failing, next] = [await planOf('failing', 1n), await planOf('going-on', 1n)];
  await abandon(failing, '1 minute', 'failing');
  await abandon(next, '30 seconds', 'going-on');
  const findRefusal = (id: string) =>
    id === failing.operation.id ? Promise.reject(new Error('one that fails')) : Promise.resolve(undefined);
  expect(await sweep(next, { findRefusal } as unknown as UnsignedOperationJudge)).toEqual([
    next.operation.id,
  ]);
  expect(await storedOf(failing)).toEqual([{ state: 'accepted' }]);
});

it('UnsignedOperationsSweeper: rejects operations without a key while the signer does not answer', async () => {
  const [keyed, unkeyed] = [await planOf('waits', 1n), await planOf('does-not-wait', 1n)];
  await abandon(keyed, '1 minute', 'waits');
  await abandon(unkeyed, '30 seconds');
  let answer: (refusal: undefined) => void = () => undefined;
  const answered = new Promise<undefined>((resolve) => (answer = resolve));
  const findRefusal = () => answered;
  const swept = sweep(unkeyed, { findRefusal } as unknown as UnsignedOperationJudge);
  await until('the other one is ended', async () => (await storedOf(unkeyed))[0]?.state !== 'accepted');
  expect(await storedOf(keyed)).toEqual([{ state: 'accepted' }]);
  answer(undefined);
  await swept;
});
