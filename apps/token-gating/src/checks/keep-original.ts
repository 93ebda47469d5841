import { z } from 'zod';

/**
 * A schema that validates like `schema` and is documented like it, and whose output holds the original input too. Requests
 * are stored in their original form, so that a later release can validate them again by its own schema.
 */
export function keepOriginal<S extends z.ZodType>(
  schema: S,
): z.ZodType<{ readonly value: z.output<S>; readonly original: z.input<S> }, z.input<S>> {
  const input: z.ZodType = schema;
  const wrapped = z.pipe(input, z.unknown());
  const run = wrapped._zod.run;
  wrapped._zod.run = (payload, context) => {
    const original: unknown = payload.value;
    const result = run(payload, context);
    if (result instanceof Promise) throw new z.core.$ZodAsyncError();
    const value: unknown = result.value;
    if (result.issues.length === 0) result.value = { value, original };
    return result;
  };
  return wrapped as never;
}
