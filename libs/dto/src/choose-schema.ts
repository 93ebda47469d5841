import { z } from 'zod';

/** How a value chooses between the two options of a schema. */
interface Choice {
  readonly first: z.core.$ZodType;
  readonly second: z.core.$ZodType;
  readonly isSecond: (value: unknown) => boolean;
}

const choices = new WeakMap<z.core.$ZodType, Choice>();

/** Undefined for schemas that `chooseSchema` did not make. */
export const findChoice = (schema: z.core.$ZodType): Choice | undefined => choices.get(schema);

/**
 * A schema that parses a value by one of two others, and is documented as their union. A union of zod tries both, and says of a
 * value that neither takes only that no option fits; here the issues are those of the option that the value chose.
 */
export function chooseSchema<First extends z.ZodType, Second extends z.ZodType>(
  first: First,
  second: Second,
  isSecond: (value: unknown) => boolean,
): z.ZodUnion<readonly [First, Second]> {
  const schema = z.union([first, second]);
  schema._zod.run = (payload, context) =>
    (isSecond(payload.value) ? second : first)._zod.run(payload, context);
  choices.set(schema, { first, second, isSecond });
  return schema;
}
