/** Decimal text in whole tokens of so many of the smallest unit, exactly. */
export function formatUnits(units: bigint, decimals: number): string {
  const digits = units.toString().padStart(decimals + 1, '0');
  const split = digits.length - decimals;
  const fraction = digits.slice(split).replace(/0+$/, '');
  return fraction === '' ? digits.slice(0, split) : `${digits.slice(0, split)}.${fraction}`;
}
