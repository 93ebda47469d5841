import { z } from 'zod';

/**
 * Checks a value against a schema and passes on the value itself: what the schema makes of it (bigints, addresses) does
 * not travel through a queue as JSON.
 */
export const rawJson = <S extends z.ZodType>(schema: S) =>
  z.custom<z.input<S>>().superRefine((value, context) => {
    const { error } = schema.safeParse(value);
    for (const { path, message } of error?.issues ?? [])
      context.addIssue({ code: 'custom', path: [...path], message });
  });
