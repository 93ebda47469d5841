import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type Amount,
  compareAmounts,
  decimalAmount,
  formatUnits,
  signedAmount,
  toBaseUnits,
} from './amount.js';

const digits = (maxLength: number) =>
  fc.string({
    unit: fc.constantFrom('0', '1', '2', '3', '4', '5', '6', '7', '8', '9'),
    minLength: 1,
    maxLength,
  });

/** Decimal text and, as a reference, the same number as a fraction computed digit by digit. */
const decimalText = fc
  .tuple(digits(40), fc.option(digits(40), { nil: undefined }))
  .map(([whole, fraction]) => {
    let [numerator, denominator] = [0n, 1n];
    for (const digit of whole) numerator = numerator * 10n + BigInt(digit);
    for (const digit of fraction ?? '') {
      numerator = numerator * 10n + BigInt(digit);
      denominator *= 10n;
    }
    return { text: fraction === undefined ? whole : `${whole}.${fraction}`, numerator, denominator };
  });

const read = (text: string): Amount => decimalAmount.parse(text);

describe('decimalAmount', () => {
  it('decimalAmount: rounds a minimum up and a maximum down to base units', () => {
    fc.assert(
      fc.property(decimalText, fc.nat(60), ({ text, numerator, denominator }, decimals) => {
        const [up, down] = [
          toBaseUnits(read(text), decimals, 'up'),
          toBaseUnits(read(text), decimals, 'down'),
        ];
        const exact = numerator * 10n ** BigInt(decimals);
        expect(down * denominator <= exact && exact < (down + 1n) * denominator).toBe(true);
        expect((up - 1n) * denominator < exact && exact <= up * denominator).toBe(true);
      }),
    );
  });

  it('decimalAmount: compares as rational numbers do', () => {
    fc.assert(
      fc.property(decimalText, decimalText, (a, b) => {
        const difference = a.numerator * b.denominator - b.numerator * a.denominator;
        const sign = difference < 0n ? -1 : difference > 0n ? 1 : 0;
        expect(compareAmounts(read(a.text), read(b.text))).toBe(sign);
      }),
    );
  });

  it('decimalAmount: ignores trailing zeros of the fraction', () => {
    expect(read('1.000')).toEqual(read('1'));
    expect(read('007.50')).toEqual({ units: 75n, scale: 1 });
    expect(read('0.0')).toEqual({ units: 0n, scale: 0 });
  });

  it('decimalAmount: keeps 78 digits on both sides of the point', () => {
    const text = `${'9'.repeat(78)}.${'9'.repeat(78)}`;
    expect(read(text)).toEqual({ units: BigInt('9'.repeat(156)), scale: 78 });
  });

  it.each([
    '',
    ' 1',
    '1 ',
    '+1',
    '-1',
    '1e18',
    '0x10',
    '.5',
    '5.',
    '1.2.3',
    '1,5',
    '١',
    'NaN',
    '9'.repeat(79),
  ])('decimalAmount: rejects %j', (text) => {
    expect(decimalAmount.safeParse(text).success).toBe(false);
  });
});

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

describe('signedAmount', () => {
  it('signedAmount: rounds, compares and formats negative amounts as rational numbers', () => {
    fc.assert(
      fc.property(decimalText, fc.nat(60), ({ text, numerator, denominator }, decimals) => {
        const amount = signedAmount.parse(`-${text}`);
        const [up, down] = [toBaseUnits(amount, decimals, 'up'), toBaseUnits(amount, decimals, 'down')];
        const exact = -numerator * 10n ** BigInt(decimals);
        expect(down * denominator <= exact && exact < (down + 1n) * denominator).toBe(true);
        expect((up - 1n) * denominator < exact && exact <= up * denominator).toBe(true);
        expect(compareAmounts(amount, read(text))).toBe(numerator === 0n ? 0 : -1);
        expect(signedAmount.parse(text)).toEqual(read(text));
        expect(toBaseUnits(signedAmount.parse(formatUnits(down, decimals)), decimals, 'up')).toBe(down);
      }),
    );
  });

  it.each(['', '-', '--1', '+1', '-.5', '- 1', '-0x1'])('signedAmount: rejects %j', (text) => {
    expect(signedAmount.safeParse(text).success).toBe(false);
  });
});
