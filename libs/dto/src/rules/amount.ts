import { z } from 'zod';

/** An exact quantity of whole tokens, `units / 10^scale`, with the smallest possible scale. */
export interface Amount {
  readonly units: bigint;
  readonly scale: number;
}

const DECIMAL_TEXT = /^(\d{1,78})(?:\.(\d{1,78}))?$/;

/** Parses decimal text without sign, exponent or spaces (`1`, `0.5`). */
export const decimalAmount = z
  .string()
  .regex(DECIMAL_TEXT, 'must be decimal text in whole tokens, such as "1" or "0.5", of at most 78 digits')
  .transform(parseAmount);

/** Decimal text that may be negative, for values that are no holdings. */
export const signedAmount = z
  .string()
  .regex(
    new RegExp(DECIMAL_TEXT.source.replace('^', '^-?')),
    'must be decimal text, such as "1", "-3" or "0.5", of at most 78 digits',
  )
  .transform((text): Amount => {
    if (!text.startsWith('-')) return parseAmount(text);
    const { units, scale } = parseAmount(text.slice(1));
    return { units: -units, scale };
  });

/** Expects text that matches DECIMAL_TEXT. */
function parseAmount(text: string): Amount {
  if (!text.includes('.')) return { units: BigInt(text), scale: 0 };
  const [whole = '', fraction = ''] = text.split('.');
  const digits = removeTrailingZeros(fraction);
  return { units: BigInt(whole + digits), scale: digits.length };
}

function removeTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}

/** Compares two amounts, as Array.sort expects it. */
export function compareAmounts(a: Amount, b: Amount): number {
  const scale = Math.max(a.scale, b.scale);
  const [left, right] = [toBaseUnits(a, scale, 'down'), toBaseUnits(b, scale, 'down')];
  return left < right ? -1 : left > right ? 1 : 0;
}

export const isWholeAmount = ({ scale }: Amount): boolean => scale === 0;

/** The amount in a token's base units, rounded up or down to the token's decimals. */
export function toBaseUnits({ units, scale }: Amount, decimals: number, rounding: 'up' | 'down'): bigint {
  if (scale <= decimals) return units * 10n ** BigInt(decimals - scale);
  const divisor = 10n ** BigInt(scale - decimals);
  const quotient = units / divisor;
  const rest = units % divisor;
  if (rounding === 'up') return rest > 0n ? quotient + 1n : quotient;
  return rest < 0n ? quotient - 1n : quotient;
}

/** Converts base units to exact decimal text, like viem's function of the same name. */
export function formatUnits(units: bigint, decimals: number): string {
  if (decimals === 0) return units.toString();
  if (units < 0n) return `-${formatUnits(-units, decimals)}`;
  const digits = units.toString().padStart(decimals + 1, '0');
  const split = digits.length - decimals;
  const fraction = digits.slice(split).replace(/0+$/, '');
  return fraction === '' ? digits.slice(0, split) : `${digits.slice(0, split)}.${fraction}`;
}

/** The amount as decimal text in whole tokens. */
export const toDecimalText = ({ units, scale }: Amount): string => formatUnits(units, scale);
