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

/** contract.md section 2. */
export const DEFAULT_PAGE_SIZE = 25;

/** The token is opaque, and bound to the list and the principal (contract.md section 2). */
export const pageQuery = z.object({
  limit: queryInteger(1, 100).optional().meta({ description: 'Items of one page', example: 10 }),
  paginationToken: queryText.min(1).max(1_024).optional().meta({ description: 'From the page before' }),
});
export type PageQuery = z.output<typeof pageQuery>;

/** A page of a list (spec.md 2.4). The token is absent on the last page. */
export const createPageSchema = <S extends z.ZodType>(item: S, id: string) =>
  z.object({ paginationToken: z.string().optional(), items: z.array(item) }).meta({ id });
