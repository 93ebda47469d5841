import { z } from 'zod';

/** A query parameter `true` or `false`. */
export const queryBoolean = z
  .enum(['true', 'false'])
  .transform((text) => text === 'true')
  .meta({ documentAs: { type: 'boolean' } });

/** A text query parameter, which Express parses as an array when it is repeated. */
export const queryText = z.string({
  error: ({ input }) => (Array.isArray(input) ? 'must be given once' : undefined),
});

/** An integer query parameter in decimal digits. */
export const queryInteger = (min: number, max: number) => {
  const message = `must be a whole number from ${min} to ${max}`;
  return queryText
    .regex(/^\d{1,15}$/, message)
    .transform(Number)
    .pipe(z.int().min(min, message).max(max, message))
    .meta({ documentAs: { type: 'integer', minimum: min, maximum: max } });
};
