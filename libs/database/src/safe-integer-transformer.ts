import type { ValueTransformer } from 'typeorm';

/**
 * Reads an int8 column as a number.
 * @throws RangeError for a value that is not a safe integer
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
