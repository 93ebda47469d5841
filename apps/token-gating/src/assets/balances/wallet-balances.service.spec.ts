import { describe, expect, it } from '@jest/globals';
import { decimalAmount, toBaseUnits } from '@app/dto';
import fc from 'fast-check';
import { formatUnits } from './wallet-balances.service.js';

describe('formatUnits', () => {
  it.each([
    [0n, 18, '0'],
    [1n, 18, '0.000000000000000001'],
    [1_500_000n, 6, '1.5'],
    [10n ** 18n, 18, '1'],
    [42n, 0, '42'],
  ])('formatUnits: %s base units with %s decimals are %s', (units, decimals, text) => {
    expect(formatUnits(units, decimals)).toBe(text);
  });

  it('formatUnits: is the inverse of toBaseUnits', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 2n ** 200n), fc.integer({ min: 0, max: 78 }), (units, decimals) => {
        const amount = decimalAmount.parse(formatUnits(units, decimals));
        expect(toBaseUnits(amount, decimals, 'down')).toBe(units);
      }),
    );
  });
});
