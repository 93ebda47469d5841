import type { ValueTransformer } from 'typeorm';

/**
 * For an int8 column that holds a count and is a number in the entity.
 * @throws RangeError for what a number cannot hold exactly
 */
export const safeIntegerTransformer: ValueTransformer = {
  to: (value: number | null | undefined) => value,
  from: (value: bigint | null | undefined): number | null | undefined => {
    if (value === null || value === undefined) return value;
    const number = Number(value);
    if (!Number.isSafeInteger(number)) throw new RangeError(`${value.toString()} is not a safe integer`);
    return number;
  },
};
