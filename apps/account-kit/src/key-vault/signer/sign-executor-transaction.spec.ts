import { describe, expect, it } from '@jest/globals';
import { type Address, type Hex, recoverTransactionAddress } from 'viem';
import { entryPoint08Abi } from 'viem/account-abstraction';
import { generatePrivateKey } from 'viem/accounts';
import { encodeFunctionData, hexToBytes, parseTransaction } from 'viem/utils';
import { ACCOUNT_CONTRACTS } from '../../evm/accounts/account-contracts.js';
import { encodeHandleOps } from '../../evm/operations/encode-handle-ops.js';
import { createEvmKey } from '../create-evm-key.js';
import { RefusedToSignError } from './refused-to-sign.error.js';
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

function sign(data: Hex, { entryPoint = ACCOUNT_CONTRACTS['0.8'].entryPoint, executor = key.address } = {}) {
  const fees = { gas: '100000', maxFeePerGas: '2', maxPriorityFeePerGas: '1' };
  const request = { executor, chainId: 31_337, nonce: 3, entryPoint, data, ...fees };
  return signExecutorTransaction(new Map([[key.address, key]]), request);
}

describe('signExecutorTransaction', () => {
  it.each(['0.7', '0.8'] as const)(
    'signs a bundle for EntryPoint %s that pays the executor',
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
  ])('refuses %s', (_, data) => {
    expect(() => sign(data)).toThrow(RefusedToSignError);
  });

  it('refuses other contracts, and executors without a key', () => {
    const data = encodeHandleOps('0.8', [operation], key.address);
    expect(() => sign(data, { entryPoint: OTHER })).toThrow(RefusedToSignError);
    expect(() => sign(data, { executor: OTHER })).toThrow(RefusedToSignError);
  });
});
