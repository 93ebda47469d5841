import { z } from 'zod';
import { queryInteger, queryText } from './query-parameters.js';

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
