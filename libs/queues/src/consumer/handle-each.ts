import { isUnavailable } from './retry-while-unavailable.js';

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
