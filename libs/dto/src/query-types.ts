import { z } from 'zod';

/** `true` or `false` in a query. */
export const queryBoolean = z
  .enum(['true', 'false'])
  .transform((text) => text === 'true')
  .meta({ documentAs: { type: 'boolean' } });

/** A whole number in a query, in decimal digits. */
export const queryInteger = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(min).max(max))
    .meta({ documentAs: { type: 'integer', minimum: min, maximum: max } });
