import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Address, encodeFunctionData } from 'viem';
import { entryPoint08Abi } from 'viem/account-abstraction';
import {
  ACCOUNT_CONTRACTS,
  type AccountVersion,
} from '../../apps/account-kit/src/evm/accounts/account-contracts.js';
import { decodeFailedOp } from '../../apps/account-kit/src/evm/operations/decode-failed-op.js';
import type { AccountCall } from '../../apps/account-kit/src/evm/operations/encode-execute.js';
import {
  encodeHandleOps,
  type SignedUserOperation,
} from '../../apps/account-kit/src/evm/operations/user-operation.js';
import { parseUserOperationEvents } from '../../apps/account-kit/src/evm/operations/parse-user-operation-events.js';
import { demoAccounts } from '../../scripts/demo/demo-accounts.mjs';
import { deployAccountContracts } from '../../scripts/chain/deploy-account-contracts.mjs';
import { root } from '../../scripts/build/project.mjs';
import { type DeployedContract, LocalChain } from '../support/local-chain.js';
import { SmartAccountOwner } from './smart-account-owner.js';

const FUNDS = 10n ** 18n;
const recipients: Address[] = [
  '0x00000000000000000000000000000000000a11ce',
  '0x0000000000000000000000000000000000000b0b',
];

let chain: LocalChain;
let token: DeployedContract;

beforeAll(async () => {
  chain = await LocalChain.start();
  await deployAccountContracts({ rpcUrl: chain.rpcUrl, root, accounts: await demoAccounts() });
  token = await chain.deploy('DemoERC20', ['Demo', 'DEMO', 18, recipients[0], 77n]);
});

afterAll(() => chain.stop());

/** Sends the operations from the executor, which is their beneficiary. */
async function handleOps(version: AccountVersion, operations: readonly SignedUserOperation[]) {
  const hash = await chain.client.sendTransaction({
    to: ACCOUNT_CONTRACTS[version].entryPoint,
    data: encodeHandleOps(version, operations, chain.client.account.address),
  });
  const { status, logs } = await chain.client.waitForTransactionReceipt({ hash });
  expect(status).toBe('success');
  return parseUserOperationEvents(ACCOUNT_CONTRACTS[version].entryPoint, logs);
}

async function fundedOwner(version: AccountVersion): Promise<SmartAccountOwner> {
  const owner = new SmartAccountOwner(version, chain.chainId);
  await chain.setNativeBalance(owner.address, FUNDS);
  return owner;
}

const pay = (target: Address, value: bigint): AccountCall => ({ target, value, data: '0x' });
/** Emits one event; reverts for more than the account has, which is nothing. */
const transfer = (amount: bigint): AccountCall => ({
  target: token.address,
  value: 0n,
  data: encodeFunctionData({ abi: token.abi, functionName: 'transfer', args: [token.address, amount] }),
});

describe.each(['0.7', '0.8'] as const)('an account of version %s', (version) => {
  const balances = () => Promise.all(recipients.map((address) => chain.client.getBalance({ address })));

  it.each([1, 2])('smart account: makes %i calls in one operation, which the account pays', async (count) => {
    await Promise.all(recipients.map((address) => chain.setNativeBalance(address, 0n)));
    const values = [3n, 5n].slice(0, count);
    const owner = await fundedOwner(version);
    const { operation, hash } = await owner.sign(
      values.map((value, index) => pay(recipients[index] ?? '0x', value)),
    );
    const [result] = await handleOps(version, [operation]);
    expect(result).toMatchObject({ hash, sender: owner.address, nonce: 0n, success: true });
    expect(await balances()).toEqual([3n, count === 2 ? 5n : 0n]);
    // What the operation did not use of its limits stays in the account's deposit.
    const deposit = await chain.client.readContract({
      address: ACCOUNT_CONTRACTS[version].entryPoint,
      abi: entryPoint08Abi,
      functionName: 'balanceOf',
      args: [owner.address],
    });
    expect((await chain.client.getBalance({ address: owner.address })) + deposit).toBe(
      FUNDS - values.reduce((a, b) => a + b) - (result?.actualGasCost ?? 0n),
    );
  });

  it('smart account: shares a bundle with others, each with its own result and logs', async () => {
    const owners = await Promise.all([1, 2, 3].map(() => fundedOwner(version)));
    const signed = await Promise.all(
      owners.map((owner, index) => owner.sign([transfer(index === 1 ? 1n : 0n)])),
    );
    const results = await handleOps(
      version,
      signed.map(({ operation }) => operation),
    );
    expect(results.map(({ hash, success }) => ({ hash, success }))).toEqual(
      signed.map(({ hash }, index) => ({ hash, success: index !== 1 })),
    );
    const emitters = results.map(({ logs }) => logs.map(({ address }) => address.toLowerCase()));
    const emitted = [token.address.toLowerCase()];
    expect([emitters[0], emitters[2]]).toEqual([emitted, emitted]);
    expect(results[1]?.revertReason).toMatch(/^0x/);
  });

  it('smart account: is named by the EntryPoint when it cannot pay', async () => {
    const [paying, poor] = [await fundedOwner(version), new SmartAccountOwner(version, chain.chainId)];
    const calls = [pay(recipients[0] ?? '0x', 0n)];
    const signed = [await paying.sign(calls), await poor.sign(calls, { maxFeePerGas: 10n ** 9n })];
    const bundle = signed.map(({ operation }) => operation);
    const simulation = chain.client.call({
      to: ACCOUNT_CONTRACTS[version].entryPoint,
      data: encodeHandleOps(version, bundle, chain.client.account.address),
    });
    const error: unknown = await simulation.catch((reason: unknown) => reason);
    expect(decodeFailedOp(error)).toEqual({ index: 1, reason: expect.stringMatching(/^AA21 /) });
  });
});
