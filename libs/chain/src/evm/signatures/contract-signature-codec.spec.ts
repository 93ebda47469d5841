import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { encodeDeployData, encodeFunctionData, type Hex, parseAbi } from 'viem';
import { encodeIsValidSignature, encodeErc6492Validation } from './contract-signature-codec.js';
import { signatureValidatorCode } from './signature-validator-code.js';

const abi = parseAbi(['function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)']);
const validatorAbi = parseAbi(['constructor(address account, bytes32 hash, bytes wrapped)']);
const hexOf = (size: { readonly minLength?: number; readonly maxLength: number }): fc.Arbitrary<string> =>
  fc.uint8Array(size).map((bytes) => Buffer.from(bytes).toString('hex'));
const hash = hexOf({ minLength: 32, maxLength: 32 });
const account = hexOf({ minLength: 20, maxLength: 20 });
const signature = hexOf({ maxLength: 200 });
const hex = (digits: string): Hex => `0x${digits}`;

describe('signature validation calls', () => {
  it('signature validation calls: encode isValidSignature as viem does', () => {
    fc.assert(
      fc.property(hash, signature, (digest, bytes) => {
        const args = [hex(digest), hex(bytes)] as const;
        const expected = encodeFunctionData({ abi, functionName: 'isValidSignature', args });
        expect(hex(encodeIsValidSignature(digest, bytes))).toBe(expected);
      }),
    );
  });

  it('signature validation calls: encode the ERC-6492 validation as viem does', () => {
    fc.assert(
      fc.property(account, hash, signature, (address, digest, bytes) => {
        const expected = encodeDeployData({
          abi: validatorAbi,
          bytecode: hex(signatureValidatorCode),
          args: [hex(address), hex(digest), hex(bytes)],
        });
        expect(hex(encodeErc6492Validation(hex(address), digest, bytes))).toBe(expected);
      }),
    );
  });
});
