import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Address, type Hex, parseAbi } from 'viem';
import { entryPoint08Abi, toPackedUserOperation } from 'viem/account-abstraction';
import {
  ACCOUNT_CONTRACTS,
  type AccountVersion,
} from '../../apps/account-kit/src/evm/accounts/account-contracts.js';
import { decodeFailedOp } from '../../apps/account-kit/src/evm/operations/decode-failed-op.js';
import {
  encodeHandleOps,
  type SignedUserOperation,
  type UserOperationFields,
} from '../../apps/account-kit/src/evm/operations/user-operation.js';
import { parseUserOperationEvents } from '../../apps/account-kit/src/evm/operations/parse-user-operation-events.js';
import { demoAccounts } from '../../scripts/demo/demo-accounts.mjs';
import { deployAccountContracts } from '../../scripts/chain/deploy-account-contracts.mjs';
import { root } from '../../scripts/build/project.mjs';
import { LocalChain } from '../support/local-chain.js';
import { signAsSponsor } from './sign-as-sponsor.js';
import { SmartAccountOwner } from './smart-account-owner.js';

const OTHER: Address = '0x00000000000000000000000000000000000a11ce';
const CALL = [{ target: OTHER, value: 0n, data: '0x' }] as const;
const OTHER_CALL = [{ target: OTHER, value: 0n, data: '0x01' }] as const;
const HOUR_SECONDS = 3_600;
const FEES = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 10n ** 9n };
const abi = parseAbi([
  'struct PackedUserOperation { address sender; uint256 nonce; bytes initCode; bytes callData; bytes32 accountGasLimits; uint256 preVerificationGas; bytes32 gasFees; bytes paymasterAndData; bytes signature; }',
  'function getHash(PackedUserOperation userOp, uint48 validUntil, uint48 validAfter) view returns (bytes32)',
  'function validatePaymasterUserOp(PackedUserOperation userOp, bytes32 userOpHash, uint256 maxCost) view returns (bytes context, uint256 validationData)',
  'function withdrawTo(address recipient, uint256 amount)',
  'error NotEntryPoint(address caller)',
  'error NotOwner(address caller)',
]);

let chain: LocalChain;
let contracts: Awaited<ReturnType<typeof deployAccountContracts>>;
let accounts: Awaited<ReturnType<typeof demoAccounts>>;

beforeAll(async () => {
  [chain, accounts] = await Promise.all([LocalChain.start(), demoAccounts()]);
  contracts = await deployAccountContracts({ rpcUrl: chain.rpcUrl, root, accounts });
});

afterAll(() => chain.stop());

const paymasterOf = (version: AccountVersion): Address =>
  version === '0.8' ? contracts.paymaster08 : contracts.paymaster07;

const sponsor = (
  version: AccountVersion,
  operation: UserOperationFields,
  options: { validUntil: number; key?: Hex },
) =>
  signAsSponsor(operation, {
    chainId: chain.chainId,
    paymaster: paymasterOf(version),
    key: accounts.paymasterSigner.privateKey,
    ...options,
  });

async function inOneHour(): Promise<number> {
  const { timestamp } = await chain.client.getBlock();
  return Number(timestamp) + HOUR_SECONDS;
}

async function simulate(version: AccountVersion, operation: SignedUserOperation): Promise<unknown> {
  return chain.client
    .call({
      to: ACCOUNT_CONTRACTS[version].entryPoint,
      data: encodeHandleOps(version, [operation], OTHER),
    })
    .then(() => undefined, decodeFailedOp);
}

const depositOf = (version: AccountVersion) =>
  chain.client.readContract({
    address: ACCOUNT_CONTRACTS[version].entryPoint,
    abi: entryPoint08Abi,
    functionName: 'balanceOf',
    args: [paymasterOf(version)],
  });

describe.each(['0.7', '0.8'] as const)('the paymaster of EntryPoint %s', (version) => {
  it('verifying paymaster: has the hash that this service signs, and pays for the first operation of an empty account', async () => {
    const owner = new SmartAccountOwner(version, chain.chainId);
    const validUntil = await inOneHour();
    const { operation: unsponsored } = await owner.sign(CALL, FEES);
    const { hash, fields } = await sponsor(version, unsponsored, { validUntil });
    const { operation, hash: operationHash } = await owner.sign(CALL, { ...FEES, ...fields });
    const packed = toPackedUserOperation(operation);
    expect(
      await chain.client.readContract({
        address: paymasterOf(version),
        abi,
        functionName: 'getHash',
        args: [packed, validUntil, 0],
      }),
    ).toBe(hash);
    const before = await depositOf(version);
    const sent = await chain.client.sendTransaction({
      to: ACCOUNT_CONTRACTS[version].entryPoint,
      data: encodeHandleOps(version, [operation], OTHER),
    });
    const { logs } = await chain.client.waitForTransactionReceipt({ hash: sent });
    const [result] = parseUserOperationEvents(ACCOUNT_CONTRACTS[version].entryPoint, logs);
    expect(result).toMatchObject({
      hash: operationHash,
      paymaster: paymasterOf(version),
      success: true,
    });
    expect(await depositOf(version)).toBe(before - (result?.actualGasCost ?? 0n));
    expect(await chain.client.getBalance({ address: owner.address })).toBe(0n);
  });

  it('verifying paymaster: does not pay for an operation that its signer has not signed', async () => {
    const owner = new SmartAccountOwner(version, chain.chainId);
    const options = { validUntil: await inOneHour() };
    const { operation: first } = await owner.sign(CALL, FEES);
    const { fields } = await sponsor(version, first, options);
    const { fields: forged } = await sponsor(version, first, {
      ...options,
      key: accounts.executor.privateKey,
    });
    const other = new SmartAccountOwner(version, chain.chainId);
    const attempts = [
      await owner.sign(OTHER_CALL, { ...FEES, ...fields }),
      await owner.sign(CALL, { ...FEES, ...fields, key: 1n }),
      await owner.sign(CALL, { ...FEES, ...fields, callGasLimit: 310_000n }),
      await owner.sign(CALL, { ...FEES, ...fields, preVerificationGas: 50_001n }),
      await owner.sign(CALL, { ...FEES, ...fields, maxFeePerGas: 2n * FEES.maxFeePerGas }),
      await owner.sign(CALL, { ...FEES, ...fields, paymasterVerificationGasLimit: 61_000n }),
      await owner.sign(CALL, { ...FEES, ...forged }),
      await other.sign(CALL, { ...FEES, ...fields }),
    ];
    for (const { operation } of attempts)
      expect(await simulate(version, operation)).toMatchObject({ reason: expect.stringMatching(/^AA34 /) });
    const { operation } = await owner.sign(CALL, { ...FEES, ...fields });
    expect(await simulate(version, operation)).toBeUndefined();
  });

  it('verifying paymaster: does not pay after the end of its signature', async () => {
    const owner = new SmartAccountOwner(version, chain.chainId);
    const { operation: unsponsored } = await owner.sign(CALL, FEES);
    const { fields } = await sponsor(version, unsponsored, {
      validUntil: (await inOneHour()) - HOUR_SECONDS - 1,
    });
    const { operation } = await owner.sign(CALL, { ...FEES, ...fields });
    expect(await simulate(version, operation)).toMatchObject({ reason: expect.stringMatching(/^AA32 /) });
  });
});

describe('the paymaster of this repository', () => {
  it('paymaster of this repository: answers its EntryPoint only, and gives its deposit to its owner only', async () => {
    const owner = new SmartAccountOwner('0.8', chain.chainId);
    const { operation: unsponsored } = await owner.sign(CALL, FEES);
    const { fields } = await sponsor('0.8', unsponsored, { validUntil: await inOneHour() });
    const { operation, hash } = await owner.sign(CALL, { ...FEES, ...fields });
    const contract = { address: contracts.paymaster08, abi } as const;
    const validation = {
      ...contract,
      functionName: 'validatePaymasterUserOp',
      args: [toPackedUserOperation(operation), hash, 0n],
    } as const;
    await expect(chain.client.readContract(validation)).rejects.toThrow(/NotEntryPoint/);
    const withdrawal = { ...contract, functionName: 'withdrawTo', args: [OTHER, 1n] } as const;
    const stranger = accounts.holder.address;
    await expect(chain.client.simulateContract({ ...withdrawal, account: stranger })).rejects.toThrow(
      /NotOwner/,
    );
    const before = await chain.client.getBalance({ address: OTHER });
    await chain.send(contract, 'withdrawTo', [OTHER, 1n]);
    expect(await chain.client.getBalance({ address: OTHER })).toBe(before + 1n);
  });
});
