import { createBatcher, formatErrorReason } from '@app/common';
import { MAX_SIGNED_IDS } from '@app/queues';
import type { Logger } from 'pino';

/** Makes one job of what is signed in this time, so that many requests do not make many jobs. */
const BATCH_WINDOW_MS = 100;

/**
 * @param enqueue adds one job for the ids
 * @returns a function that has an id enqueued, which no request waits for: when that fails, the row is found by polling
 */
export function createIdEnqueuer(
  logger: Logger,
  enqueue: (ids: string[]) => Promise<void>,
): (id: string) => void {
  const batcher = createBatcher(
    async (ids: readonly string[]) => {
      await enqueue([...new Set(ids)]);
      return ids;
    },
    { batchWindowMs: BATCH_WINDOW_MS, maxBatchSize: MAX_SIGNED_IDS },
  );
  return (id) => {
    batcher.load(id).catch((error: unknown) => {
      logger.debug({ id, reason: formatErrorReason(error) }, 'a wake-up was not enqueued');
    });
  };
}
