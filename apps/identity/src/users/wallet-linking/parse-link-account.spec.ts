import { describe, expect, it } from '@jest/globals';
import { AppError } from '@app/common';
import { toChecksumAddress } from '@app/dto';
import base58 from 'bs58';
import fc from 'fast-check';
import { parseLinkAccount } from './parse-link-account.js';

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const evm = bytes(20)
  .filter((address) => address.some((byte) => byte !== 0))
  .map((address) => `0x${Buffer.from(address).toString('hex')}`);
const chain = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }).map(String);

describe('parseLinkAccount', () => {
  it('parseLinkAccount: returns the same EVM account for every spelling', () => {
    fc.assert(
      fc.property(evm, chain, (address, chainId) => {
        const expected = { family: 'evm', address: toChecksumAddress(address), chainId: Number(chainId) };
        for (const [text, chainField] of [
          [address, chainId],
          [toChecksumAddress(address), `eip155:${chainId}`],
          [`eip155:${chainId}:${address}`, undefined],
          [`eip155:${chainId}:${address}`, chainId],
        ] as const)
          expect(parseLinkAccount(text, chainField)).toEqual(expected);
        expect(parseLinkAccount(address, undefined)).toEqual({ ...expected, chainId: undefined });
      }),
    );
  });

  it('parseLinkAccount: rejects two different chains', () => {
    fc.assert(
      fc.property(evm, chain, chain, (address, one, other) => {
        fc.pre(one !== other);
        expect(() => parseLinkAccount(`eip155:${one}:${address}`, other)).toThrow(AppError);
      }),
    );
  });

  it('parseLinkAccount: returns a Solana account for 32 bytes in base 58', () => {
    fc.assert(
      fc.property(bytes(32), (key) => {
        const address = base58.encode(key);
        expect(parseLinkAccount(address, undefined)).toMatchObject({ family: 'solana', address });
      }),
    );
  });

  it('parseLinkAccount: names the field with an unknown chain in the error', () => {
    const address = '4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM';
    const refused = (path: string) =>
      expect.objectContaining({
        details: expect.objectContaining({ issues: [expect.objectContaining({ path })] }),
      });
    expect(() => parseLinkAccount(`solana:elsewhere:${address}`, undefined)).toThrow(refused('address'));
    expect(() => parseLinkAccount(address, 'elsewhere')).toThrow(refused('chainId'));
  });

  it('parseLinkAccount: parses or throws input_invalid, for any input', () => {
    fc.assert(
      fc.property(fc.string(), fc.option(fc.string(), { nil: undefined }), (address, chainId) => {
        try {
          parseLinkAccount(address, chainId);
        } catch (error) {
          expect(error).toMatchObject({ statusCode: 400, details: { code: 'input_invalid' } });
        }
      }),
    );
  });
});
