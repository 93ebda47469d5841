import { isUnavailable } from './errors.js';

/** An item whose work failed although it was done alone. */
export interface FailedItem<T> {
  readonly item: T;
  readonly error: unknown;
}

/**
 * Does the work of many items together, and of ever smaller parts where that fails: an item that can never be done keeps no other one from
 * being done, and costs about 20 calls among 500. The work must be idempotent, or do all or nothing.
 * @returns items that failed alone
 * @throws AppError 503 of the work, which is no fault of an item
 */
export async function tryTogether<T>(
  items: readonly T[],
  work: (some: readonly T[]) => Promise<void>,
): Promise<FailedItem<T>[]> {
  const [first] = items;
  if (first === undefined) return [];
  try {
    await work(items);
    return [];
  } catch (error) {
    if (isUnavailable(error)) throw error;
    if (items.length === 1) return [{ item: first, error }];
    const half = Math.ceil(items.length / 2);
    return [
      ...(await tryTogether(items.slice(0, half), work)),
      ...(await tryTogether(items.slice(half), work)),
    ];
  }
}
