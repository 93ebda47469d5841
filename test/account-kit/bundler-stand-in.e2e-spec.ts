import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { formatUserOperationRequest } from 'viem/account-abstraction';
import { ACCOUNT_CONTRACTS } from '../../apps/account-kit/src/evm/accounts/account-contracts.js';
import type { SignedUserOperation } from '../../apps/account-kit/src/evm/operations/user-operation.js';
import { until } from '../support/until.js';
import { ALTO_ERRORS } from './alto-errors.js';
import { BundlerStandIn } from './bundler-stand-in.js';
import { ExecutorWorld, pay } from './executor-world.js';
import { OPERATION_FEES } from './smart-account-owner.js';

let world: ExecutorWorld;
let bundler: BundlerStandIn;

beforeAll(async () => {
  world = await ExecutorWorld.start();
  bundler = await BundlerStandIn.start(world.chain);
});

afterEach(async () => {
  bundler.isBundling = true;
  await world.chain.client.setAutomine(true);
});

afterAll(async () => {
  await world.stop();
  await bundler.stop();
});

async function ask(method: string, params: readonly unknown[]): Promise<unknown> {
  const response = await fetch(bundler.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return response.json();
}

const { entryPoint } = ACCOUNT_CONTRACTS['0.8'];
const send = (operation: SignedUserOperation) =>
  ask('eth_sendUserOperation', [formatUserOperationRequest(operation), entryPoint]);
const isIncluded = async (hash: string): Promise<boolean> =>
  ((await ask('eth_getUserOperationReceipt', [hash])) as { result: unknown }).result !== null;

const scale = (percent: bigint) => ({
  maxFeePerGas: (OPERATION_FEES.maxFeePerGas * percent) / 100n,
  maxPriorityFeePerGas: (OPERATION_FEES.maxPriorityFeePerGas * percent) / 100n,
});

it('BundlerStandIn: answers what alto answers to operations that it does not accept', async () => {
  bundler.isBundling = false;
  const owner = await world.fundedOwner();
  const first = await world.sign(owner);
  expect(await send(first.operation)).toMatchObject({ result: first.hash });
  expect(await send(first.operation)).toMatchObject({ error: ALTO_ERRORS.sentTwice });
  const other = await world.sign(owner, [pay(2n)]);
  expect(await send(other.operation)).toMatchObject({ error: ALTO_ERRORS.otherAtSameNonce });
  bundler.isBundling = true;
  await until('the first is included', () => isIncluded(first.hash));
  expect(await send(first.operation)).toMatchObject({ error: ALTO_ERRORS.includedDeployment });
  const late = await world.sign(owner, [pay(1n)], { deploys: false });
  expect(await send(late.operation)).toMatchObject({ error: ALTO_ERRORS.included });
  const future = await world.sign(owner, [pay(1n)], { sequence: 2n });
  expect(await send(future.operation)).toMatchObject({ error: ALTO_ERRORS.included });
  const unfunded = await world.sign(world.createOwner(), [pay(0n)]);
  expect(await send(unfunded.operation)).toMatchObject({ error: ALTO_ERRORS.unfunded });
  const next = await world.sign(owner, [pay(3n)], { sequence: 1n });
  const forged = { ...next.operation, signature: first.operation.signature };
  expect(await send(forged)).toMatchObject({ error: ALTO_ERRORS.wrongSignature });
});

it.each(['maxFeePerGas', 'maxPriorityFeePerGas'] as const)(
  'BundlerStandIn: refuses an operation without %s',
  async (fee) => {
    const fees = { ...OPERATION_FEES, maxPriorityFeePerGas: 0n, [fee]: 0n };
    const { operation } = await world.sign(await world.fundedOwner(), [pay(1n)], fees);
    const message = expect.stringContaining(`${fee} must be at least`);
    expect(await send(operation)).toMatchObject({ error: { code: -32_602, message } });
  },
);

it('BundlerStandIn: replaces an operation only when both fees are a tenth higher', async () => {
  bundler.isBundling = false;
  const owner = await world.fundedOwner();
  const first = await world.sign(owner);
  expect(await send(first.operation)).toMatchObject({ result: first.hash });
  const { maxFeePerGas } = scale(110n);
  for (const fees of [scale(109n), { ...OPERATION_FEES, maxFeePerGas }]) {
    const { operation } = await world.sign(owner, [pay(2n)], fees);
    expect(await send(operation)).toMatchObject({ error: ALTO_ERRORS.otherAtSameNonce });
  }
  const replacement = await world.sign(owner, [pay(0n)], scale(110n));
  expect(await send(replacement.operation)).toMatchObject({ result: replacement.hash });
  expect(bundler.held).toEqual([replacement.hash]);
  bundler.isBundling = true;
  await until('the replacement is included', () => isIncluded(replacement.hash));
  expect(await isIncluded(first.hash)).toBe(false);
});

it('BundlerStandIn: replaces nothing whose bundle is on its way', async () => {
  await world.chain.client.setAutomine(false);
  const owner = await world.fundedOwner();
  const first = await world.sign(owner);
  const count = async () => (await world.chain.client.getBlock({ blockTag: 'pending' })).transactions.length;
  expect(await send(first.operation)).toMatchObject({ result: first.hash });
  await until('its bundle is sent', async () => (await count()) > 0);
  await until('the bundler has seen it', () => bundler.isProcessing(first.hash));
  const replacement = await world.sign(owner, [pay(0n)], scale(200n));
  expect(await send(replacement.operation)).toMatchObject({
    error: { code: -32_602, message: expect.stringContaining('already being processed') },
  });
  await world.chain.client.setAutomine(true);
  await world.chain.client.mine({ blocks: 1 });
  await until('the first is included', () => isIncluded(first.hash));
});

it('BundlerStandIn: its estimate suffices for the operation', async () => {
  for (const owner of [await world.fundedOwner(), await world.fundedOwner('0.7')]) {
    const { entryPoint: own } = ACCOUNT_CONTRACTS[owner.version];
    for (const sequence of [0n, 1n]) {
      const { operation } = await world.sign(owner, [pay(1n)], { sequence });
      const { result } = (await ask('eth_estimateUserOperationGas', [
        formatUserOperationRequest(operation),
        own,
      ])) as { result: Record<string, `0x${string}`> };
      const limits = Object.fromEntries(Object.entries(result).map(([name, hex]) => [name, BigInt(hex)]));
      const estimated = await world.sign(owner, [pay(1n)], { sequence, ...limits });
      expect(
        await ask('eth_sendUserOperation', [formatUserOperationRequest(estimated.operation), own]),
      ).toMatchObject({
        result: estimated.hash,
      });
      await until('it is included', () => isIncluded(estimated.hash));
      expect(await ask('eth_getUserOperationReceipt', [estimated.hash])).toMatchObject({
        result: { success: true },
      });
    }
  }
});

it('BundlerStandIn: names its EntryPoints, and refuses others', async () => {
  expect(await ask('eth_supportedEntryPoints', [])).toMatchObject({
    result: expect.arrayContaining([entryPoint]),
  });
  const { operation } = await world.sign(await world.fundedOwner());
  const other = await ask('eth_sendUserOperation', [formatUserOperationRequest(operation), operation.sender]);
  expect(other).toMatchObject({ error: { code: -32_602 } });
});
