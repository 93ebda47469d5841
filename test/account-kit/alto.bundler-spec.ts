import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Address } from 'viem';
import { entryPoint08Abi, formatUserOperationRequest } from 'viem/account-abstraction';
import {
  ACCOUNT_CONTRACTS,
  type AccountVersion,
} from '../../apps/account-kit/src/evm/accounts/account-contracts.js';
import type { SignedUserOperation } from '../../apps/account-kit/src/evm/operations/user-operation.js';
import { demoAccounts } from '../../scripts/demo/demo-accounts.mjs';
import { Alto } from '../support/alto.js';
import { until } from '../support/until.js';
import { ALTO_ERRORS } from './alto-errors.js';
import { ExecutorWorld, pay, type StoredOperation } from './executor-world.js';
import { signAsSponsor } from './sign-as-sponsor.js';
import type { SmartAccountOwner } from './smart-account-owner.js';

const VERSIONS: readonly AccountVersion[] = ['0.7', '0.8'];
const FEES = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 10n ** 9n };
/** A value that the account does not have. */
const TOO_MUCH = 10n ** 30n;
const CONFIRMATIONS = 12;
const SPONSOR_EXPIRED = {
  '0.7': {
    code: ALTO_ERRORS.sponsorExpired.code,
    message: expect.stringContaining('UserOperation expires too soon'),
  },
  '0.8': ALTO_ERRORS.sponsorExpired,
};
/** Keeps what it accepts until it is asked to send it. */
const HOLD = ['--bundle-mode', 'manual', '--enable-debug-endpoints', 'true'];

let world: ExecutorWorld;
let alto: Alto;

beforeAll(async () => {
  world = await ExecutorWorld.start();
  alto = await Alto.start(world.chain.rpcUrl);
});

afterEach(() => world.stopApps());

afterAll(async () => {
  await alto.kill();
  await world.stop();
});

const startApp = () => world.startApp({ [`BUNDLER_URL_${world.chain.chainId}`]: alto.url });

const send = (version: AccountVersion, operation: SignedUserOperation) =>
  alto.ask('eth_sendUserOperation', [
    formatUserOperationRequest(operation),
    ACCOUNT_CONTRACTS[version].entryPoint,
  ]);

const receive = (recipient: Address) => (value: bigint) => ({
  target: recipient,
  value,
  data: '0x' as const,
});

async function restart(more: string[] = []): Promise<void> {
  await alto.kill();
  await alto.resume(more);
}

/** Sponsored until a time that has passed. */
async function signExpired(owner: SmartAccountOwner, unsponsored: SignedUserOperation) {
  const { timestamp } = await world.chain.client.getBlock();
  const { fields } = await signAsSponsor(unsponsored, {
    chainId: world.chain.chainId,
    paymaster: owner.version === '0.7' ? world.contracts.paymaster07 : world.contracts.paymaster08,
    validUntil: Number(timestamp) - 60,
    key: (await demoAccounts()).paymasterSigner.privateKey,
  });
  return world.sign(owner, [pay(3n)], { ...FEES, ...fields, sequence: 1n });
}

const balanceOf = (address: Address) => world.chain.client.getBalance({ address });

const makeFinal = async (operations: readonly StoredOperation[]) => {
  await world.chain.client.mine({ blocks: CONFIRMATIONS });
  return world.untilState('final', operations);
};

async function countEvents(operations: readonly StoredOperation[]): Promise<number> {
  const hashes = new Set<string>(operations.map(({ hash }) => hash));
  const logs = await world.chain.client.getContractEvents({
    address: VERSIONS.map((version) => ACCOUNT_CONTRACTS[version].entryPoint),
    abi: entryPoint08Abi,
    eventName: 'UserOperationEvent',
    fromBlock: 0n,
  });
  return logs.filter(({ args }) => hashes.has(args.userOpHash ?? '')).length;
}

/** Makes operations due that their bundler may have dropped. */
const resendNow = (operations: readonly StoredOperation[]) =>
  world.pool.query(
    'UPDATE account_kit.bundler_submissions SET next_attempt_at = now() WHERE operation_id = ANY($1::uuid[])',
    [operations.map(({ id }) => id)],
  );

describe.each(VERSIONS)('alto and EntryPoint %s', (version) => {
  it('alto: include single and batch operations of new and deployed accounts, each once, and they are final', async () => {
    const recipient: Address = version === '0.7' ? `0x${'70'.repeat(20)}` : `0x${'80'.repeat(20)}`;
    const give = receive(recipient);
    const [single, batch] = [await world.fundedOwner(version), await world.fundedOwner(version)];
    const operations = await world.store(
      await world.sign(single, [give(1n)], FEES),
      await world.sign(single, [give(2n), give(4n)], { ...FEES, sequence: 1n }),
      await world.sign(single, [give(8n)], { ...FEES, sequence: 2n }),
      await world.sign(batch, [give(16n), give(32n)], FEES),
    );
    await startApp();
    await world.untilState('included', operations);
    expect(await balanceOf(recipient)).toBe(63n);
    expect(await countEvents(operations)).toBe(operations.length);
    const rows = await makeFinal(operations);
    expect(rows.map(({ success }) => success)).toEqual([true, true, true, true]);
  });

  it('alto: include an operation whose call reverts', async () => {
    const owner = await world.fundedOwner(version);
    const operations = await world.store(await world.sign(owner, [pay(TOO_MUCH)], FEES));
    await startApp();
    await world.untilState('included', operations);
    await world.chain.client.mine({ blocks: CONFIRMATIONS });
    const [row] = await world.untilState('reverted', operations);
    expect(row).toMatchObject({ success: false });
  });
});

describe('what alto answers to an operation that it does not accept', () => {
  beforeAll(() => restart(HOLD));

  afterAll(() => restart());

  it.each(VERSIONS)(
    'what alto answers to an operation that it does not accept: is what the stand-in of other tests answers, at EntryPoint %s',
    async (version) => {
      const owner = await world.fundedOwner(version);
      const first = await world.sign(owner, [pay(1n)], FEES);
      expect(await send(version, first.operation)).toMatchObject({ result: first.hash });
      expect(await send(version, first.operation)).toMatchObject({ error: ALTO_ERRORS.sentTwice });
      const other = await world.sign(owner, [pay(2n)], FEES);
      expect(await send(version, other.operation)).toMatchObject({ error: ALTO_ERRORS.otherAtSameNonce });
      await alto.ask('debug_bundler_sendBundleNow', []);
      await until('the first is included', async () => (await alto.receiptOf(first.hash)) !== null);
      expect(await send(version, first.operation)).toMatchObject({ error: ALTO_ERRORS.includedDeployment });
      const late = await world.sign(owner, [pay(1n)], { ...FEES, deploys: false });
      expect(await send(version, late.operation)).toMatchObject({ error: ALTO_ERRORS.included });
      const unfunded = await world.sign(world.createOwner(version), [pay(0n)], FEES);
      expect(await send(version, unfunded.operation)).toMatchObject({ error: ALTO_ERRORS.unfunded });
      const next = await world.sign(owner, [pay(3n)], { ...FEES, sequence: 1n });
      const { signature } = first.operation;
      expect(await send(version, { ...next.operation, signature })).toMatchObject({
        error: ALTO_ERRORS.wrongSignature,
      });
      const expired = await signExpired(owner, next.operation);
      expect(await send(version, expired.operation)).toMatchObject({ error: SPONSOR_EXPIRED[version] });
    },
  );
});

describe('an operation that alto refuses', () => {
  it('operation that alto refuses: delays no other, and is sent again until it is accepted', async () => {
    const poor = world.createOwner();
    const [refused, other] = await world.store(
      await world.sign(poor, [pay(0n)], FEES),
      await world.sign(await world.fundedOwner(), [pay(1n)], FEES),
    );
    if (!refused || !other) throw new Error('nothing was stored');
    await startApp();
    await world.untilState('included', [other]);
    await until('the refusal is stored', async () => {
      const [row] = await world.rows([refused.id]);
      return row?.['state'] === 'submitted' && row['reason'] === ALTO_ERRORS.unfunded.message;
    });
    await world.chain.setNativeBalance(poor.address, 10n ** 18n);
    await world.untilState('included', [refused]);
    await makeFinal([refused, other]);
    expect(await countEvents([refused, other])).toBe(2);
  });

  it('operation that alto refuses: is included when alto has it already, and answers that it knows it', async () => {
    const signed = await world.sign(await world.fundedOwner(), [pay(1n)], FEES);
    expect(await send('0.8', signed.operation)).toMatchObject({ result: signed.hash });
    const operations = await world.store(signed);
    await startApp();
    await world.untilState('included', operations);
    await makeFinal(operations);
    expect(await countEvents(operations)).toBe(1);
  });
});

describe('alto killed', () => {
  it('alto killed with operations in its mempool: gets the same bytes again, and each has one effect', async () => {
    const recipient: Address = `0x${'c0'.repeat(20)}`;
    const give = receive(recipient);
    await restart(HOLD);
    const signed = [];
    for (let index = 0; index < 6; index += 1)
      signed.push(await world.sign(await world.fundedOwner(), [give(1n)], FEES));
    const operations = await world.store(...signed);
    await startApp();
    await world.untilState('submitted', operations);
    await until('alto has all of them', async () => {
      const statuses = await Promise.all(operations.map(({ hash }) => alto.statusOf(hash)));
      return statuses.every((status) => status === 'not_submitted');
    });
    await restart();
    expect(await balanceOf(recipient)).toBe(0n);
    await resendNow(operations);
    await world.untilState('included', operations);
    await makeFinal(operations);
    expect(await balanceOf(recipient)).toBe(BigInt(operations.length));
    expect(await countEvents(operations)).toBe(operations.length);
  });

  it('alto killed again and again while it sends bundles: loses none, and none has two effects', async () => {
    const recipient: Address = `0x${'d0'.repeat(20)}`;
    const give = receive(recipient);
    await world.chain.client.setIntervalMining({ interval: 1 });
    const signed = [];
    for (let account = 0; account < 10; account += 1) {
      const owner = await world.fundedOwner();
      for (let sequence = 0n; sequence < 3n; sequence += 1n)
        signed.push(await world.sign(owner, [give(1n)], { ...FEES, sequence }));
    }
    const operations = await world.store(...signed);
    await startApp();
    for (let kills = 0n; kills < 3n; kills += 1n) {
      const before = await balanceOf(recipient);
      await until('some more are executed', async () => (await balanceOf(recipient)) > before);
      await restart();
      await resendNow(operations);
    }
    await until('all are included', async () => {
      await resendNow(operations);
      const rows = await world.rows(operations.map(({ id }) => id));
      return rows.every(({ state }) => state === 'included' || state === 'final');
    });
    await makeFinal(operations);
    expect(await balanceOf(recipient)).toBe(BigInt(operations.length));
    expect(await countEvents(operations)).toBe(operations.length);
  });
});
