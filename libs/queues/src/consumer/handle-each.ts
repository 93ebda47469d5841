import { isUnavailable, tryTogether } from '@app/common';

/**
 * Handles the items of a job one after the other. An item that fails keeps none behind it from being handled; the job fails when all were
 * tried, so that it is retried, and handlers must be idempotent.
 * @throws the first failure, but one that will pass first: it does not count as an attempt of the job
 */
export async function handleEach<T>(items: readonly T[], handle: (item: T) => Promise<void>): Promise<void> {
  const failures: { readonly error: unknown }[] = [];
  for (const item of items)
    await handle(item).catch((error: unknown) => {
      failures.push({ error });
    });
  const failure = failures.find(({ error }) => isUnavailable(error)) ?? failures[0];
  if (failure) throw failure.error;
}

/**
 * Handles the items of a job in one call, and ever smaller parts if that fails: the others are handled, whatever one item is. The job fails
 * afterwards, so that the item is retried, and handlers must be idempotent.
 * @throws the first failure
 */
export async function handleTogether<T>(
  items: readonly T[],
  handle: (some: readonly T[]) => Promise<void>,
): Promise<void> {
  const [failed] = await tryTogether(items, handle);
  if (failed) throw failed.error;
}
