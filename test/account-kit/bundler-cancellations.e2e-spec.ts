import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type pg from 'pg';
import type { Address, Hex } from 'viem';
import { ACCOUNT_CONTRACTS } from '../../apps/account-kit/src/evm/accounts/account-contracts.js';
import type { Client } from '../support/create-client.js';
import { databasePool } from '../support/database-pool.js';
import { reply } from '../support/hostile-node.js';
import { until } from '../support/until.js';
import { type AccountKitSuite, startAccountKitSuite } from './account-kit-suite.js';
import { BundlerStandIn } from './bundler-stand-in.js';

const RECIPIENT: Address = '0x00000000000000000000000000000000000a11ce';
const FUNDS = 10n ** 18n;
const CONFIRMATIONS = 12;
const MAX_CANCELLATIONS_PER_DAY = 50;
const UNFUNDED = 'cancelled: the account could not pay for its gas';
const LATE = 'cancelled: it was in no block for an hour';

interface Row {
  readonly id: string;
  readonly hash: Hex;
  readonly kind: string;
  readonly state: string;
  readonly reason: string | null;
  readonly client_id: string;
  readonly paymaster: string | null;
  readonly pre_verification_gas: string;
  readonly max_fee_per_gas: string;
  readonly max_priority_fee_per_gas: string;
}

let kit: AccountKitSuite;
let bundler: BundlerStandIn;
let pool: pg.Pool;
let lastUserId = 9_900;
/** The least that the bundler accepts, by a formula of its own. */
let minPreVerificationGas = 0n;
let refusalCode = -32_602;

beforeAll(async () => {
  kit = await startAccountKitSuite(
    async (_, chain) => {
      bundler = await BundlerStandIn.start(chain);
      return { [`BUNDLER_URL_${chain.chainId}`]: bundler.url };
    },
    { hasPaymasters: true },
  );
  pool = databasePool(kit.suite.databaseUrl);
  await setPolicy(kit.client, []);
});

/** The bundler refuses all calls for a reason that proves nothing, so that they are cancelled when they are late. */
beforeEach(() => {
  bundler.intercept = ({ id, method, params }, response) => {
    const [operation] = params as [Record<string, Hex>];
    if (method !== 'eth_sendUserOperation') return false;
    const isCall = operation['callData'] !== '0x';
    if (!isCall && BigInt(operation['preVerificationGas'] ?? '0x0') >= minPreVerificationGas) return false;
    const message = isCall ? 'too many operations' : 'preVerificationGas is not enough';
    reply(response, id, { error: { code: refusalCode, message } });
    return true;
  };
});

afterEach(() => {
  bundler.changeEstimate = (estimate) => estimate;
  bundler.isBundling = true;
  minPreVerificationGas = 0n;
  refusalCode = -32_602;
});

afterAll(async () => {
  await pool.end();
  await kit.stop();
  await bundler.stop();
});

const setPolicy = ({ clientId }: Client, sponsoredChains: readonly number[]) =>
  pool.query(
    `INSERT INTO account_kit.policies (client_id, document) VALUES ($1, $2)
     ON CONFLICT (client_id) DO UPDATE SET document = excluded.document`,
    [
      clientId,
      JSON.stringify({
        calls: [{ chainId: kit.chain.chainId, target: 'any' }],
        maxValue: '1000',
        sponsoredChains,
      }),
    ],
  );

async function createClient(sponsoredChains: readonly number[]): Promise<Client> {
  const client = await kit.suite.createClient({ scopes: ['accountkit'] });
  await setPolicy(client, sponsoredChains);
  return client;
}

const raise = (fee: bigint, percent: bigint): bigint => (fee * percent + 99n) / 100n;

/** An account with an operation that its bundler refuses. */
class RefusedOperation {
  private constructor(
    readonly address: Address,
    private readonly headers: Record<string, string>,
  ) {}

  static async submit(client = kit.client): Promise<RefusedOperation> {
    lastUserId += 1;
    const headers = {
      'X-API-Key': client.apiKey,
      'X-BOT-TOKEN': kit.platforms.botToken(String(lastUserId)),
    };
    const { body } = await kit.call<{ evm: { address: Address }[] }>('/accountkit/v1/chatbot/accounts', {
      headers,
    });
    const address = body.evm[0]?.address ?? RECIPIENT;
    await kit.chain.setNativeBalance(address, FUNDS);
    const refused = await kit.call(
      `/accountkit/v1/chatbot/evm/submitUserOperation?chainId=${kit.chain.chainId}`,
      {
        method: 'POST',
        headers,
        body: { target: RECIPIENT, value: '1' },
      },
    );
    expect(refused).toMatchObject({ status: 200 });
    const operation = new RefusedOperation(address, headers);
    await until('the bundler has refused it', async () =>
      (await operation.rows()).some(({ reason }) => reason === 'too many operations'),
    );
    return operation;
  }

  /** Asks for the cancellation of its first operation. */
  async cancel() {
    const [row] = await this.rows();
    return kit.call(`/accountkit/v2/platform/operations/${row?.hash}/cancellations?platform=chat`, {
      method: 'POST',
      headers: { ...this.headers, 'X-ACCESS-TOKEN': this.headers['X-BOT-TOKEN'] ?? '' },
    });
  }

  /** An hour passes. An account is without funds only if it is at the confirmation depth, too. */
  async becomeLate(funds = FUNDS): Promise<void> {
    await kit.chain.setNativeBalance(this.address, funds);
    if (funds < FUNDS) await kit.chain.client.mine({ blocks: CONFIRMATIONS });
    await this.wait('61 minutes');
  }

  async wait(time: string): Promise<void> {
    await pool.query(
      `UPDATE account_kit.bundler_submissions SET submitted_at = submitted_at - $2::interval, next_attempt_at = now()
       WHERE operation_id IN (SELECT id FROM account_kit.user_operations WHERE lower(sender) = lower($1))`,
      [this.address, time],
    );
    await kit.chain.client.mine({ blocks: 1 });
  }

  async rows(): Promise<Row[]> {
    const { rows } = await pool.query<Row>(
      `SELECT id, hash, kind, state, reason, client_id, paymaster, pre_verification_gas, max_fee_per_gas, max_priority_fee_per_gas
       FROM account_kit.user_operations WHERE lower(sender) = lower($1) ORDER BY accepted_at`,
      [this.address],
    );
    return rows;
  }

  async cancellations(): Promise<Row[]> {
    return (await this.rows()).filter(({ kind }) => kind === 'cancellation');
  }

  /** Mines until the operation is rejected. @returns its cancellation that was executed */
  async untilRejected(reason = LATE): Promise<Row> {
    await until('the operation is rejected', async () => {
      await kit.chain.client.mine({ blocks: 1 });
      return (await this.rows()).some(({ kind, state }) => kind === 'call' && state === 'rejected');
    });
    const rows = await this.rows();
    expect(rows.find(({ kind }) => kind === 'call')).toMatchObject({ reason });
    const executed = rows.find(
      ({ kind, state }) => kind === 'cancellation' && ['included', 'final'].includes(state),
    );
    if (!executed) throw new Error('no cancellation was executed');
    return executed;
  }
}

it('a cancellation at a bundler: has the preVerificationGas for which the bundler asks', async () => {
  bundler.changeEstimate = (estimate) => {
    minPreVerificationGas = (estimate.preVerificationGas * 15n) / 10n;
    return { ...estimate, preVerificationGas: minPreVerificationGas };
  };
  const operation = await RefusedOperation.submit();
  await operation.becomeLate();
  const cancellation = await operation.untilRejected();
  expect(BigInt(cancellation.pre_verification_gas)).toBeGreaterThanOrEqual(minPreVerificationGas);
  expect(await operation.cancellations()).toHaveLength(1);
});

// Rundler answers its prechecks with -32000, which ERC-7769 does not have.
it.each([-32_602, -32_000])(
  'a cancellation at a bundler: is replaced with higher limits while the bundler refuses it with code %i, after pauses that grow',
  async (code) => {
    refusalCode = code;
    const operation = await RefusedOperation.submit();
    bundler.changeEstimate = (estimate) => {
      minPreVerificationGas = (estimate.preVerificationGas * 13n) / 10n;
      return estimate;
    };
    await operation.becomeLate();
    const untilRefused = (count: number) =>
      until(`${count} cancellations are refused`, async () => {
        const found = await operation.cancellations();
        return found.length === count && found.at(-1)?.reason === 'preVerificationGas is not enough';
      });
    await untilRefused(1);
    await operation.wait('2 minutes');
    await untilRefused(2);
    await operation.wait('1 minute');
    const other = await RefusedOperation.submit();
    await kit.chain.client.mine({ blocks: 2 });
    expect(await operation.cancellations()).toHaveLength(2);
    await operation.wait('2 minutes');
    await operation.untilRejected();
    const [call, ...cancellations] = await operation.rows();
    expect(cancellations.length).toBeGreaterThanOrEqual(3);
    const fees = {
      fee: BigInt(call?.max_fee_per_gas ?? 0),
      tip: BigInt(call?.max_priority_fee_per_gas ?? 0),
    };
    const replacing = { fee: raise(fees.fee, 112n), tip: raise(fees.tip, 112n) };
    // No cancellation is in the mempool of the bundler, so that none has to be outbid.
    for (const { max_fee_per_gas, max_priority_fee_per_gas } of cancellations)
      expect({ fee: BigInt(max_fee_per_gas), tip: BigInt(max_priority_fee_per_gas) }).toEqual(replacing);
    await other.becomeLate();
  },
);

it('a cancellation at a bundler: outbids one that the bundler holds and does not execute', async () => {
  const operation = await RefusedOperation.submit();
  bundler.isBundling = false;
  await operation.becomeLate();
  const untilHeld = (number: number) =>
    until(`the bundler holds cancellation ${number}`, async () => {
      const cancellation = (await operation.cancellations())[number - 1];
      return cancellation !== undefined && bundler.held.includes(cancellation.hash);
    });
  await untilHeld(1);
  await operation.wait('2 hours');
  await untilHeld(2);
  const [held, next] = await operation.cancellations();
  expect(BigInt(next?.max_fee_per_gas ?? 0)).toBe(raise(BigInt(held?.max_fee_per_gas ?? 0), 112n));
  expect(bundler.held).not.toContain(held?.hash);
  bundler.isBundling = true;
  await operation.untilRejected();
});

it('LaneRepairTracker: repairs lanes beside a cancellation whose cause only another release knows', async () => {
  minPreVerificationGas = 10_000_000n;
  const [operation, other] = [
    await RefusedOperation.submit(),
    await RefusedOperation.submit(await createClient([])),
  ];
  await operation.becomeLate();
  await until(
    'its cancellation is refused',
    async () => (await operation.cancellations())[0]?.reason === 'preVerificationGas is not enough',
  );
  await pool.query(
    `UPDATE account_kit.user_operations SET details = '{"cause": "of another release"}' WHERE id = $1`,
    [(await operation.cancellations())[0]?.id],
  );
  minPreVerificationGas = 0n;
  await other.becomeLate();
  await other.untilRejected();
  await operation.wait('2 hours');
  await operation.untilRejected('cancelled: later operations of the lane wait for its nonce');
});

it('a cancellation at a bundler: is made with own limits while the bundler asks for more than the ceiling', async () => {
  const [operation, other] = [
    await RefusedOperation.submit(),
    await RefusedOperation.submit(await createClient([])),
  ];
  let asked = 0;
  bundler.changeEstimate = (estimate) => {
    asked += 1;
    return { ...estimate, verificationGasLimit: 2_000_000n };
  };
  await operation.becomeLate();
  await operation.untilRejected();
  expect(asked).toBeGreaterThan(0);
  await other.becomeLate();
  await other.untilRejected();
});

it('a cancellation at a bundler: is paid by the account where the policy sponsors nothing, and by the sponsor where it does', async () => {
  const [own, sponsored] = await Promise.all([createClient([]), createClient([kit.chain.chainId])]);
  const [paying, free] = await Promise.all([
    RefusedOperation.submit(own),
    RefusedOperation.submit(sponsored),
  ]);
  await paying.becomeLate();
  await free.becomeLate();
  expect(await paying.untilRejected()).toMatchObject({ client_id: own.clientId, paymaster: null });
  expect(await free.untilRejected()).toMatchObject({ client_id: sponsored.clientId });
  expect((await free.cancellations())[0]?.paymaster).toMatch(/^0x/);
  expect(await kit.chain.client.getBalance({ address: free.address })).toBe(FUNDS);
});

/** Leaves what 49 further cancellations of the same day leave on a chain. */
const repeatToday = (id: string, chainId = kit.chain.chainId) =>
  pool.query(
    `INSERT INTO account_kit.user_operations SELECT (jsonb_populate_record(o, jsonb_build_object(
       'id', gen_random_uuid(), 'hash', '0x' || md5($1 || number) || md5($1 || number), 'chain_id', $3::int,
       'cancellation_number', 100 + number))).*
     FROM account_kit.user_operations AS o, generate_series(2, $2::int) AS number WHERE id = $1::uuid`,
    [id, MAX_CANCELLATIONS_PER_DAY, chainId],
  );

it('cancellations at a bundler: let a sponsor pay for 50 a day of an application that it does not sponsor, whose account cannot pay, and for those of others', async () => {
  const [draining, victim] = await Promise.all([createClient([]), createClient([])]);
  const first = await RefusedOperation.submit(draining);
  await first.becomeLate(0n);
  const { id, paymaster } = await first.untilRejected(UNFUNDED);
  expect(paymaster).toMatch(/^0x/);
  await repeatToday(id);
  const [beyond, other] = [await RefusedOperation.submit(draining), await RefusedOperation.submit(victim)];
  await beyond.becomeLate(0n);
  await other.becomeLate(0n);
  expect((await other.untilRejected(UNFUNDED)).paymaster).toMatch(/^0x/);
  expect(await beyond.rows()).toHaveLength(1);
  // The account can pay now.
  await kit.chain.setNativeBalance(beyond.address, FUNDS);
  expect(await beyond.untilRejected()).toMatchObject({ paymaster: null });
});

it('cancellations at a bundler: are limited for an application by none of those on chains that its policy sponsors', async () => {
  const otherChainId = kit.chain.chainId + 1;
  const client = await createClient([kit.chain.chainId]);
  const first = await RefusedOperation.submit(client);
  await first.becomeLate();
  const { id, paymaster } = await first.untilRejected();
  expect(paymaster).toMatch(/^0x/);
  await repeatToday(id, otherChainId);
  await setPolicy(client, [otherChainId]);
  const unsponsored = await RefusedOperation.submit(client);
  await unsponsored.becomeLate(0n);
  expect((await unsponsored.untilRejected(UNFUNDED)).paymaster).toMatch(/^0x/);
});

it('POST /operations/{hash}/cancellations: is 409 while a transaction of an executor, which sent the operation before the chain got a bundler, is not settled', async () => {
  const operation = await RefusedOperation.submit();
  const [row] = await operation.rows();
  const transactionId = randomUUID();
  // No node knows the executor, so nothing settles its transaction.
  await pool.query(
    `WITH transaction AS (
       INSERT INTO account_kit.executor_transactions (id, chain_id, executor, nonce, entry_point, data, gas, state, first_block)
       VALUES ($1, $2, '0x00000000000000000000000000000000000e3ec0', 1, $3, '', 1, 'pending', 0))
     INSERT INTO account_kit.executor_transaction_operations (operation_id, transaction_id) VALUES ($4, $1)`,
    [transactionId, kit.chain.chainId, ACCOUNT_CONTRACTS['0.8'].entryPoint, row?.id],
  );
  expect(await operation.cancel()).toMatchObject({
    status: 409,
    body: { error: { details: { code: 'operation_conflict' } } },
  });
  await pool.query(`UPDATE account_kit.executor_transactions SET state = 'replaced' WHERE id = $1`, [
    transactionId,
  ]);
  expect(await operation.cancel()).toMatchObject({ status: 200 });
  await operation.untilRejected('cancelled: a client application asked for it');
});

it('POST /operations/{hash}/cancellations: is 503 operation_unavailable while the signer signs the cancellation of another request', async () => {
  const operation = await RefusedOperation.submit();
  const pid = String(kit.suite.app('account-kit').process.pid);
  const signer = Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0]);
  process.kill(signer, 'SIGSTOP');
  const first = operation.cancel();
  await until('the cancellation is stored', async () => (await operation.cancellations()).length === 1);
  const second = await operation.cancel();
  process.kill(signer, 'SIGCONT');
  expect(second).toMatchObject({
    status: 503,
    body: { error: { details: { code: 'operation_unavailable' } } },
  });
  const { status, body } = await first;
  expect(status).toBe(200);
  expect(await operation.cancel()).toMatchObject({ status: 200, body });
  await operation.untilRejected('cancelled: a client application asked for it');
});
