import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { type Address, getAddress, type Hex } from 'viem';
import { entryPoint08Abi, formatUserOperationRequest } from 'viem/account-abstraction';
import {
  ACCOUNT_CONTRACTS,
  type AccountVersion,
} from '../../apps/account-kit/src/evm/accounts/account-contracts.js';
import type { SignedUserOperation } from '../../apps/account-kit/src/evm/operations/user-operation.js';
import { Alto } from '../support/alto.js';
import { until } from '../support/until.js';
import { ALTO_ERRORS } from './alto-errors.js';
import { requiredPreVerificationGas } from './bundler-pre-verification-gas.js';
import { ExecutorWorld, pay, type StoredOperation } from './executor-world.js';

const VERSIONS: readonly AccountVersion[] = ['0.7', '0.8'];
const GWEI = 10n ** 9n;
const FEES = { maxFeePerGas: 10n * GWEI, maxPriorityFeePerGas: GWEI };
/** The fees of a block that `FEES` cannot pay. */
const SPIKE_FEE = 30n * GWEI;
const CONFIRMATIONS = 12;
/** alto keeps what it accepts until it is asked to send it. */
const HOLD = ['--bundle-mode', 'manual', '--enable-debug-endpoints', 'true'];

interface CancellationRow {
  readonly hash: Hex | null;
  readonly state: string;
  readonly deploys: boolean;
  readonly fee: string;
  readonly tip: string;
}

let world: ExecutorWorld;
let alto: Alto;

beforeAll(async () => {
  world = await ExecutorWorld.start();
  // The contracts are read at the confirmation depth.
  await world.chain.client.mine({ blocks: CONFIRMATIONS });
  alto = await Alto.start(world.chain.rpcUrl);
});

beforeEach(() => restart(HOLD));

afterEach(async () => {
  await world.stopApps();
  await world.chain.client.setAutomine(true);
});

afterAll(async () => {
  await alto.kill();
  await world.stop();
});

const startApp = () => world.startApp({ [`BUNDLER_URL_${world.chain.chainId}`]: alto.url });

async function restart(more: string[] = []): Promise<void> {
  await alto.kill();
  await alto.resume(more);
}

const send = (version: AccountVersion, operation: SignedUserOperation) =>
  alto.ask('eth_sendUserOperation', [
    formatUserOperationRequest(operation),
    ACCOUNT_CONTRACTS[version].entryPoint,
  ]);
const sendBundle = () => alto.ask('debug_bundler_sendBundleNow', []);

const scale = (percent: bigint) => ({
  maxFeePerGas: (FEES.maxFeePerGas * percent) / 100n,
  maxPriorityFeePerGas: (FEES.maxPriorityFeePerGas * percent) / 100n,
});
/** A payment to an account of its own, whose balance tells how often it was executed. */
const payTo = (recipient: Address) => [{ target: recipient, value: 1n, data: '0x' as const }];
const balanceOf = (address: Address) => world.chain.client.getBalance({ address });

const setSubmission = ({ id }: StoredOperation, set: string) =>
  world.pool.query(`UPDATE account_kit.bundler_submissions SET ${set} WHERE operation_id = $1`, [id]);

async function cancellationsOf({ owner }: StoredOperation): Promise<CancellationRow[]> {
  const { rows } = await world.pool.query<CancellationRow>(
    `SELECT hash, state, deploys_account AS deploys, max_fee_per_gas AS fee, max_priority_fee_per_gas AS tip
     FROM account_kit.user_operations WHERE sender = $1 AND kind = 'cancellation' ORDER BY cancellation_number`,
    [owner.address],
  );
  return rows;
}

async function untilCancellation(operation: StoredOperation): Promise<CancellationRow & { hash: Hex }> {
  await until('there is a cancellation with a signature', async () => {
    await world.chain.client.mine({ blocks: 1 });
    return (await cancellationsOf(operation)).some(({ hash }) => hash !== null);
  });
  const [row] = await cancellationsOf(operation);
  if (!row?.hash) throw new Error('there is no cancellation');
  return { ...row, hash: row.hash };
}

const untilHeld = (hash: Hex) =>
  until('alto holds it', async () => (await alto.statusOf(hash)) === 'not_submitted');

/** alto asks for what is due in a moment; pauses of refused operations grow to an hour. */
async function resendNow(owner: Address): Promise<void> {
  await world.pool.query(
    `UPDATE account_kit.bundler_submissions SET next_attempt_at = now() WHERE next_attempt_at > now() + interval '1 second'
     AND operation_id IN (SELECT id FROM account_kit.user_operations WHERE sender = $1)`,
    [owner],
  );
}

async function untilRejected(operation: StoredOperation, reason: string): Promise<void> {
  await until('the operation is rejected', async () => {
    await world.chain.client.mine({ blocks: 1 });
    await resendNow(operation.owner.address);
    return (await world.rows([operation.id]))[0]?.['state'] === 'rejected';
  });
  expect((await world.rows([operation.id]))[0]).toMatchObject({ reason, success: null });
}

async function untilIncluded(operation: StoredOperation): Promise<void> {
  await until('the next operation of the lane is included', async () => {
    await world.chain.client.mine({ blocks: 1 });
    await resendNow(operation.owner.address);
    return ['included', 'final'].includes(String((await world.rows([operation.id]))[0]?.['state']));
  });
}

/** Hashes that the EntryPoint has executed for the account, in the order of the blocks. */
async function executedOf({ owner }: StoredOperation): Promise<Hex[]> {
  const logs = await world.chain.client.getContractEvents({
    address: ACCOUNT_CONTRACTS[owner.version].entryPoint,
    abi: entryPoint08Abi,
    eventName: 'UserOperationEvent',
    args: { sender: owner.address },
    fromBlock: 0n,
    strict: true,
  });
  return logs.map(({ args }) => args.userOpHash);
}

it.each(VERSIONS)(
  'alto at EntryPoint %s: replaces an operation only when both fees are a tenth higher',
  async (version) => {
    const owner = await world.fundedOwner(version);
    const first = await world.sign(owner, [pay(1n)], FEES);
    expect(await send(version, first.operation)).toMatchObject({ result: first.hash });
    const { maxFeePerGas, maxPriorityFeePerGas } = scale(110n);
    for (const fees of [scale(109n), { ...FEES, maxFeePerGas }, { ...FEES, maxPriorityFeePerGas }]) {
      const { operation } = await world.sign(owner, [pay(2n)], fees);
      expect(await send(version, operation)).toMatchObject({ error: ALTO_ERRORS.otherAtSameNonce });
    }
    const otherLane = await world.sign(owner, [pay(2n)], { ...FEES, key: 7n });
    expect(await send(version, otherLane.operation)).toMatchObject({ error: ALTO_ERRORS.otherDeployment });
    const replacement = await world.sign(owner, [pay(0n)], scale(110n));
    expect(await send(version, replacement.operation)).toMatchObject({ result: replacement.hash });
    await sendBundle();
    await until('the replacement is included', async () => (await alto.receiptOf(replacement.hash)) !== null);
    expect(await alto.receiptOf(first.hash)).toBeNull();
  },
);

it.each(VERSIONS)('alto at EntryPoint %s: replaces nothing whose bundle is on its way', async (version) => {
  const owner = await world.fundedOwner(version);
  for (const sequence of [0n, 1n]) {
    const first = await world.sign(owner, [pay(1n)], { ...FEES, sequence });
    expect(await send(version, first.operation)).toMatchObject({ result: first.hash });
    await world.chain.client.setAutomine(false);
    void sendBundle();
    await until('the bundle is sent', async () => (await alto.statusOf(first.hash)) === 'submitted');
    expect(await send(version, first.operation)).toMatchObject({ error: ALTO_ERRORS.sentTwice });
    const { operation } = await world.sign(owner, [pay(0n)], { ...scale(200n), sequence });
    const error = sequence === 0n ? ALTO_ERRORS.deploymentInBundle : ALTO_ERRORS.nonceInBundle;
    expect(await send(version, operation)).toMatchObject({ error });
    await world.chain.client.setAutomine(true);
    await world.chain.client.mine({ blocks: 1 });
    await until('the first is included', async () => (await alto.receiptOf(first.hash)) !== null);
  }
});

it.each(VERSIONS)(
  'alto at EntryPoint %s: refuses operations without fees, and less preVerificationGas than the stand-in computes',
  async (version) => {
    const owner = await world.fundedOwner(version);
    for (const fee of ['maxFeePerGas', 'maxPriorityFeePerGas'] as const) {
      const fees = { ...FEES, maxPriorityFeePerGas: 0n, [fee]: 0n };
      const { operation } = await world.sign(owner, [pay(1n)], fees);
      const message = expect.stringContaining(`${fee} must be at least`);
      expect(await send(version, operation)).toMatchObject({ error: { code: -32_602, message } });
    }
    const { operation } = await world.sign(owner, [pay(1n)], FEES);
    // alto has no floor of EIP-7623 unless it is told to.
    const required = requiredPreVerificationGas(operation, { hasFloor: false });
    const less = await world.sign(owner, [pay(1n)], { ...FEES, preVerificationGas: required - 1n });
    const message = `preVerificationGas is not enough, required: ${required}, got: ${required - 1n}`;
    expect(await send(version, less.operation)).toMatchObject({ error: { code: -32_500, message } });
    const enough = await world.sign(owner, [pay(1n)], { ...FEES, preVerificationGas: required });
    expect(await send(version, enough.operation)).toMatchObject({ result: enough.hash });
  },
);

it.each(
  VERSIONS.flatMap((version) => [
    { version, deploys: true },
    { version, deploys: false },
  ]),
)(
  'LaneRepairTracker: replaces what alto holds for an hour, and the lane goes on (EntryPoint $version, first operation: $deploys)',
  async ({ version, deploys }) => {
    const recipient = getAddress(
      `0x${version === '0.7' ? '71' : '81'}${deploys ? '01' : '00'}${'aa'.repeat(18)}`,
    );
    const owner = await world.fundedOwner(version);
    const sequence = deploys ? 0n : 1n;
    if (!deploys) {
      const deployment = await world.sign(owner, [pay(0n)], FEES);
      expect(await send(version, deployment.operation)).toMatchObject({ result: deployment.hash });
      await sendBundle();
      await until('the account is deployed', async () => (await alto.receiptOf(deployment.hash)) !== null);
    }
    const [operation, next] = await world.store(
      await world.sign(owner, payTo(recipient), { ...FEES, sequence }),
      await world.sign(owner, [pay(1n)], { ...FEES, sequence: sequence + 1n }),
    );
    if (!operation || !next) throw new Error('nothing was stored');
    await startApp();
    await untilHeld(operation.hash);
    await setSubmission(operation, `submitted_at = now() - interval '61 minutes'`);
    const cancellation = await untilCancellation(operation);
    expect(cancellation).toMatchObject({
      deploys,
      fee: String(scale(112n).maxFeePerGas),
      tip: String(scale(112n).maxPriorityFeePerGas),
    });
    await untilHeld(cancellation.hash);
    await sendBundle();
    await untilRejected(operation, 'cancelled: it was in no block for an hour');
    await untilHeld(next.hash);
    await sendBundle();
    await untilIncluded(next);
    expect((await executedOf(operation)).slice(-2)).toEqual([cancellation.hash, next.hash]);
    expect(await balanceOf(recipient)).toBe(0n);
  },
);

it.each(VERSIONS)(
  'LaneRepairTracker: an operation that alto refuses because a stranger has deployed the account is cancelled, and the next one is included (EntryPoint %s)',
  async (version) => {
    const recipient = getAddress(`0x${version === '0.7' ? '72' : '82'}${'bb'.repeat(19)}`);
    const owner = await world.fundedOwner(version);
    const [operation, next] = await world.store(
      await world.sign(owner, payTo(recipient), FEES),
      await world.sign(owner, [pay(1n)], { ...FEES, sequence: 1n }),
    );
    if (!operation || !next) throw new Error('nothing was stored');
    const stranger = await world.sign(owner, [pay(0n)], { ...FEES, key: 7n });
    expect(await send(version, stranger.operation)).toMatchObject({ result: stranger.hash });
    await sendBundle();
    await until('the stranger has deployed', async () => (await alto.receiptOf(stranger.hash)) !== null);
    await restart();
    await startApp();
    await until('alto has refused it', async () => {
      const [row] = await world.rows([operation.id]);
      return row?.['reason'] === ALTO_ERRORS.includedDeployment.message;
    });
    expect((await world.rows([operation.id]))[0]).toMatchObject({ state: 'submitted' });
    await untilRejected(operation, 'cancelled: another transaction has deployed the account');
    await untilIncluded(next);
    const cancellations = await cancellationsOf(operation);
    expect(cancellations).toMatchObject([{ deploys: false, state: 'final' }]);
    expect(await executedOf(operation)).toEqual([stranger.hash, cancellations[0]?.hash, next.hash]);
    expect(await balanceOf(recipient)).toBe(0n);
  },
);

it('LaneRepairTracker: an operation whose fee alto refuses for half an hour is cancelled at the fee of now, and the next one is included', async () => {
  const recipient = getAddress(`0x83${'cc'.repeat(19)}`);
  const owner = await world.fundedOwner();
  const [operation, next] = await world.store(
    await world.sign(owner, payTo(recipient), FEES),
    await world.sign(owner, [pay(1n)], {
      maxFeePerGas: 200n * GWEI,
      maxPriorityFeePerGas: GWEI,
      sequence: 1n,
    }),
  );
  if (!operation || !next) throw new Error('nothing was stored');
  await world.chain.client.setNextBlockBaseFeePerGas({ baseFeePerGas: SPIKE_FEE });
  await world.chain.client.mine({ blocks: 1 });
  await restart();
  await startApp();
  await until('alto has refused it', async () => {
    const [row] = await world.rows([operation.id]);
    return String(row?.['reason']).startsWith('maxFeePerGas must be at least');
  });
  const mineSpike = async () => {
    await world.chain.client.setNextBlockBaseFeePerGas({ baseFeePerGas: SPIKE_FEE });
    await world.chain.client.mine({ blocks: 1 });
  };
  await until('the low fee is marked', async () => {
    await mineSpike();
    const { rowCount } = await setSubmission(
      operation,
      `underpriced_since = underpriced_since - interval '31 minutes'`,
    );
    const { rows } = await world.pool.query<{ marked: boolean }>(
      'SELECT underpriced_since IS NOT NULL AS marked FROM account_kit.bundler_submissions WHERE operation_id = $1',
      [operation.id],
    );
    return rowCount === 1 && rows[0]?.marked === true;
  });
  await until('there is a cancellation', async () => {
    await mineSpike();
    return (await cancellationsOf(operation)).length === 1;
  });
  await untilRejected(operation, 'cancelled: its maxFeePerGas was below the base fee for 30 minutes');
  await untilIncluded(next);
  expect(await balanceOf(recipient)).toBe(0n);
});

it('LaneGapTracker: alto includes the cancellation of an expired operation, and what waits behind it', async () => {
  const recipient = getAddress(`0x84${'dd'.repeat(19)}`);
  const owner = await world.fundedOwner();
  const validUntil = new Date(Date.now() + 60_000);
  const [expiring, next] = await world.store(
    await world.sign(owner, payTo(recipient), { ...FEES, validUntil }),
    await world.sign(owner, [pay(1n)], { ...FEES, sequence: 1n }),
  );
  if (!expiring || !next) throw new Error('nothing was stored');
  await world.pool.query(
    `UPDATE account_kit.user_operations SET valid_until = now() - interval '1 hour' WHERE id = $1`,
    [expiring.id],
  );
  await restart();
  await startApp();
  await world.chain.client.mine({ blocks: CONFIRMATIONS });
  await world.untilState('expired', [expiring]);
  await untilIncluded(next);
  // A cancellation that the signer could not sign while it started is rejected, and made again.
  const signed = (await cancellationsOf(expiring)).filter(({ hash }) => hash !== null);
  expect(signed).toMatchObject([{ deploys: true }]);
  expect(await balanceOf(recipient)).toBe(0n);
});
