import { setTimeout as sleep } from 'node:timers/promises';
import { formatErrorReason } from '@app/common';
import type { Logger } from 'pino';
import { ConnectionIsNotSetError, type DataSource, QueryFailedError, TypeORMError } from 'typeorm';

const MIN_RETRY_DELAY_MS = 250;
const MAX_RETRY_DELAY_MS = 5_000;

/**
 * Connects with exponential backoff until PostgreSQL answers or the signal aborts.
 * @throws TypeORMError for invalid entities, which no retry can fix
 */
export async function connectWithRetry(
  dataSource: DataSource,
  logger: Logger,
  stop: AbortSignal,
): Promise<void> {
  for (let pause = MIN_RETRY_DELAY_MS; !stop.aborted; pause = Math.min(2 * pause, MAX_RETRY_DELAY_MS)) {
    try {
      await dataSource.initialize();
      logger.info('database connected');
      return;
    } catch (error) {
      if (error instanceof TypeORMError && !(error instanceof QueryFailedError)) throw error;
      await closeHalfOpen(dataSource);
      logger.warn({ reason: formatErrorReason(error), retryInMs: pause }, 'database connection failed');
      await sleep(pause, undefined, { signal: stop }).catch(() => undefined);
    }
  }
}

/** Closes the pool that `initialize` leaves open when the server stops while TypeORM reads its version. */
async function closeHalfOpen({ driver }: DataSource): Promise<void> {
  try {
    await driver.disconnect();
  } catch (error) {
    if (!(error instanceof ConnectionIsNotSetError)) throw error;
  }
}
