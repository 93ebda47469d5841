import { z } from 'zod';

const identified = z.array(z.looseObject({ id: z.string() }));

/** The row of each id. One that cannot be read fails its own id only. */
export function matchRows<T>(
  ids: readonly string[],
  rows: readonly unknown[],
  schema: z.ZodType<T>,
): (T | undefined | Error)[] {
  const byId = new Map(identified.parse(rows).map((row) => [row.id, row]));
  return ids.map((id) => {
    const row = byId.get(id);
    if (row === undefined) return undefined;
    const parsed = schema.safeParse(row);
    return parsed.success ? parsed.data : parsed.error;
  });
}
