import { describe, expect, it } from '@jest/globals';
import { smartAccountAddress } from './account-address.js';

const owner = '0x3315d1b1bF7FD9f8d66F4f2CE0eBCa9935c9a16f';

describe('smartAccountAddress', () => {
  it('smartAccountAddress: does not move with a release of this service', () => {
    expect(smartAccountAddress({ owner, salt: 0n, version: '0.7' })).toBe(
      '0x42424C5D1206fC37401Aba4281980f53c23D88dd',
    );
    expect(smartAccountAddress({ owner, salt: 0n, version: '0.8' })).toBe(
      '0xf307F93D584B6A9011D304a8E84A42F7E98A62bE',
    );
  });

  it('smartAccountAddress: gives another address for another salt', () => {
    const addresses = [0n, 1n, 2n ** 256n - 1n].map((salt) =>
      smartAccountAddress({ owner, salt, version: '0.8' }),
    );
    expect(new Set(addresses).size).toBe(3);
  });

  it('smartAccountAddress: refuses a salt that is no uint256', () => {
    for (const salt of [-1n, 2n ** 256n])
      expect(() => smartAccountAddress({ owner, salt, version: '0.8' })).toThrow(/is not in safe/);
  });
});
