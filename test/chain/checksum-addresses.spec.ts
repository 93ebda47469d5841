import { toChecksumAddress } from '@app/dto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { getAddress } from 'viem';

describe('toChecksumAddress', () => {
  const addresses = fc
    .bigInt({ min: 0n, max: 2n ** 160n - 1n })
    .map((number) => number.toString(16).padStart(40, '0'));

  it('toChecksumAddress: writes what viem writes, with the prefix of a chain and without', () => {
    fc.assert(
      fc.property(addresses, fc.constantFrom(undefined, 30, 31), (digits, chainId) => {
        const prefix = chainId === undefined ? '' : `${chainId}0x`;
        const expected = getAddress(`0x${digits}`, chainId);
        expect(toChecksumAddress(`0x${digits}`, prefix)).toBe(expected);
        expect(toChecksumAddress(`0x${digits.toUpperCase()}`, prefix)).toBe(expected);
      }),
    );
  });
});
