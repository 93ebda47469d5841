import { describe, expect, it } from '@jest/globals';
import { packNonce, unpackNonce } from './user-operation.js';

describe('packNonce', () => {
  it('packNonce: puts the key above 64 bits of sequence', () => {
    expect(packNonce({ key: 0n, sequence: 7n })).toBe(7n);
    expect(packNonce({ key: 2n ** 192n - 1n, sequence: 2n ** 64n - 1n })).toBe(2n ** 256n - 1n);
    expect(packNonce({ key: 5n, sequence: 3n })).toBe(0x5_0000000000000003n);
  });

  it('packNonce: refuses what would change the other part', () => {
    expect(() => packNonce({ key: 2n ** 192n, sequence: 0n })).toThrow(RangeError);
    expect(() => packNonce({ key: 0n, sequence: 2n ** 64n })).toThrow(RangeError);
    expect(() => packNonce({ key: -1n, sequence: 0n })).toThrow(RangeError);
  });
});

describe('unpackNonce', () => {
  it('unpackNonce: gives back what packNonce has packed', () => {
    const nonce = { key: 2n ** 192n - 1n, sequence: 2n ** 64n - 2n };
    expect(unpackNonce(packNonce(nonce))).toEqual(nonce);
  });
});
