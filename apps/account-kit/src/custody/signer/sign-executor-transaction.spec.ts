import { describe, expect, it } from '@jest/globals';
import { type Address, type Hex, recoverTransactionAddress } from 'viem';
import { entryPoint08Abi } from 'viem/account-abstraction';
import { generatePrivateKey } from 'viem/accounts';
import { encodeFunctionData, hexToBytes, parseTransaction } from 'viem/utils';
import { ACCOUNT_CONTRACTS } from '../../evm/accounts/account-contracts.js';
import { EMPTY_TRANSACTION_GAS, MAX_TRANSACTION_GAS } from '../../evm/estimation/gas-costs.js';
import { encodeHandleOps } from '../../evm/operations/user-operation.js';
import { createEvmKey } from '../create-evm-key.js';
import { RefusedToSignError } from '../key-vault.errors.js';
import { signExecutorTransaction } from './sign-executor-transaction.js';

const OTHER: Address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const key = createEvmKey(hexToBytes(generatePrivateKey()));
const operation = {
  sender: OTHER,
  nonce: 1n,
  callData: '0x1234',
  callGasLimit: 1n,
  verificationGasLimit: 2n,
  preVerificationGas: 3n,
  maxFeePerGas: 4n,
  maxPriorityFeePerGas: 5n,
  signature: '0x',
} as const;

/** Ceiling of the fee per gas, in wei. */
const CEILING = 1_000n;
const signing = { keys: new Map([[key.address, key]]), feeCeilings: () => CEILING };

function sign(
  data: Hex,
  { entryPoint = ACCOUNT_CONTRACTS['0.8'].entryPoint, executor = key.address } = {},
  { gas = 100_000n, maxFeePerGas = 2n, maxPriorityFeePerGas = 1n } = {},
) {
  const fees = {
    gas: String(gas),
    maxFeePerGas: String(maxFeePerGas),
    maxPriorityFeePerGas: String(maxPriorityFeePerGas),
  };
  return signExecutorTransaction(signing, { executor, chainId: 31_337, nonce: 3, entryPoint, data, ...fees });
}

describe('signExecutorTransaction', () => {
  it.each(['0.7', '0.8'] as const)(
    'signExecutorTransaction: signs a bundle for EntryPoint %s that pays the executor',
    async (version) => {
      const data = encodeHandleOps(version, [operation, operation], key.address);
      const { entryPoint } = ACCOUNT_CONTRACTS[version];
      const raw = await sign(data, { entryPoint });
      expect(parseTransaction(raw)).toMatchObject({ data, nonce: 3, to: entryPoint.toLowerCase() });
      const signed = { serializedTransaction: raw as `0x02${string}` };
      expect(await recoverTransactionAddress(signed)).toBe(key.address);
    },
  );

  it.each([
    ['another beneficiary', encodeHandleOps('0.8', [operation], OTHER)],
    ['no arguments', encodeHandleOps('0.8', [operation], key.address).slice(0, 10) as Hex],
    [
      'another function',
      encodeFunctionData({ abi: entryPoint08Abi, functionName: 'withdrawTo', args: [key.address, 1n] }),
    ],
    ['no data', '0x' as const],
  ])('signExecutorTransaction: refuses %s', (_, data) => {
    expect(() => sign(data)).toThrow(RefusedToSignError);
  });

  it('signExecutorTransaction: refuses other contracts, and executors without a key', () => {
    const data = encodeHandleOps('0.8', [operation], key.address);
    expect(() => sign(data, { entryPoint: OTHER })).toThrow(RefusedToSignError);
    expect(() => sign(data, { executor: OTHER })).toThrow(RefusedToSignError);
  });
  it('signExecutorTransaction: signs within the gas limit of a transaction and MAX_FEE_PER_GAS, and not above', async () => {
    const data = encodeHandleOps('0.8', [operation], key.address);
    const most = { gas: BigInt(MAX_TRANSACTION_GAS), maxFeePerGas: CEILING, maxPriorityFeePerGas: CEILING };
    const raw = await sign(data, {}, most);
    expect(parseTransaction(raw)).toMatchObject(most);
    expect(() => sign(data, {}, { ...most, gas: most.gas + 1n })).toThrow('gas limit');
    expect(() => sign(data, {}, { ...most, maxFeePerGas: CEILING + 1n })).toThrow('MAX_FEE_PER_GAS');
    expect(() => sign(data, {}, { ...most, maxPriorityFeePerGas: CEILING + 1n })).toThrow('MAX_FEE_PER_GAS');
  });

  it('signExecutorTransaction: signs a dearer transaction without operations, which costs no more than a full one', async () => {
    const data = encodeHandleOps('0.8', [], key.address);
    const highest = (CEILING * BigInt(MAX_TRANSACTION_GAS)) / EMPTY_TRANSACTION_GAS;
    const most = { gas: EMPTY_TRANSACTION_GAS, maxFeePerGas: highest, maxPriorityFeePerGas: highest };
    await expect(sign(data, {}, most)).resolves.toMatch(/^0x02/);
    expect(() => sign(data, {}, { ...most, gas: most.gas + 1n })).toThrow('gas limit');
    expect(() => sign(data, {}, { ...most, maxFeePerGas: highest + 1n })).toThrow('MAX_FEE_PER_GAS');
    const full = encodeHandleOps('0.8', [operation], key.address);
    expect(() => sign(full, {}, most)).toThrow('MAX_FEE_PER_GAS');
  });
});
