import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Address, Hex } from 'viem';
import { getUserOperationHash } from 'viem/account-abstraction';
import { bytesToHex, getAddress } from 'viem/utils';
import { ACCOUNT_CONTRACTS } from '../accounts/account-contracts.js';
import { hashUserOperation } from './hash-user-operation.js';

const hex: fc.Arbitrary<Hex> = fc.uint8Array({ maxLength: 300 }).map((bytes) => bytesToHex(bytes));
const address: fc.Arbitrary<Address> = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => getAddress(bytesToHex(bytes)));
const uint = (bits: bigint) => fc.bigInt({ min: 0n, max: 2n ** bits - 1n });
const gas = uint(128n);

const operation = fc.record(
  {
    sender: address,
    nonce: uint(256n),
    callData: hex,
    callGasLimit: gas,
    verificationGasLimit: gas,
    preVerificationGas: uint(256n),
    maxFeePerGas: gas,
    maxPriorityFeePerGas: gas,
  },
  { noNullPrototype: true },
);
const deployment = fc.option(fc.record({ factory: address, factoryData: hex }), { nil: {} });
const sponsor = fc.option(
  fc.record({
    paymaster: address,
    paymasterVerificationGasLimit: gas,
    paymasterPostOpGasLimit: gas,
    paymasterData: hex,
  }),
  { nil: {} },
);

describe('hashUserOperation', () => {
  it.each(['0.7', '0.8'] as const)("hashUserOperation: is viem's hash for EntryPoint %s", (version) => {
    fc.assert(
      fc.property(operation, deployment, sponsor, fc.nat(), (fields, factory, paymaster, chainId) => {
        const all = { ...fields, ...factory, ...paymaster };
        expect(hashUserOperation(version, chainId, all)).toBe(
          getUserOperationHash({
            chainId,
            entryPointAddress: ACCOUNT_CONTRACTS[version].entryPoint,
            entryPointVersion: version,
            userOperation: { ...all, signature: '0x' },
          }),
        );
      }),
    );
  });
});
