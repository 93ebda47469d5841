import { z } from 'zod';

/** `true` or `false` in a query. */
export const queryBoolean = z
  .enum(['true', 'false'])
  .transform((text) => text === 'true')
  .meta({ documentAs: { type: 'boolean' } });

/** Text in a query: what comes twice is a list, and means nothing. */
export const queryText = z.string({
  error: ({ input }) => (Array.isArray(input) ? 'must be given once' : undefined),
});

/** A whole number in a query, in decimal digits. */
export const queryInteger = (min: number, max: number) => {
  const message = `must be a whole number from ${min} to ${max}`;
  return queryText
    .regex(/^\d{1,15}$/, message)
    .transform(Number)
    .pipe(z.int().min(min, message).max(max, message))
    .meta({ documentAs: { type: 'integer', minimum: min, maximum: max } });
};
