import { z } from 'zod';

/** A quantity of whole tokens, exactly: `units / 10^scale`, in lowest terms of ten. */
export interface Amount {
  readonly units: bigint;
  readonly scale: number;
}

const DECIMAL_TEXT = /^(\d{1,78})(?:\.(\d{1,78}))?$/;

/** Decimal text without sign, exponent or blanks (`1`, `0.5`), read as an Amount. */
export const decimalAmount = z
  .string()
  .regex(DECIMAL_TEXT, 'must be decimal text in whole tokens, such as "1" or "0.5", of at most 78 digits')
  .transform(parseAmount);

/** Expects text of the grammar of `decimalAmount`. Trailing zeros of the fraction do not count. */
function parseAmount(text: string): Amount {
  const [whole = '', fraction = ''] = text.split('.');
  const digits = withoutTrailingZeros(fraction);
  return { units: BigInt(whole + digits), scale: digits.length };
}

function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}

/** Negative, zero or positive, as `a` is below, at or above `b`. */
export function compareAmounts(a: Amount, b: Amount): number {
  const scale = Math.max(a.scale, b.scale);
  const [left, right] = [toBaseUnits(a, scale, 'down'), toBaseUnits(b, scale, 'down')];
  return left < right ? -1 : left > right ? 1 : 0;
}

export const isWholeAmount = ({ scale }: Amount): boolean => scale === 0;

/** The amount in a token's smallest unit. What is finer than the token's decimals is rounded up or down. */
export function toBaseUnits({ units, scale }: Amount, decimals: number, rounding: 'up' | 'down'): bigint {
  if (scale <= decimals) return units * 10n ** BigInt(decimals - scale);
  const divisor = 10n ** BigInt(scale - decimals);
  const quotient = units / divisor;
  return rounding === 'up' && units % divisor > 0n ? quotient + 1n : quotient;
}
