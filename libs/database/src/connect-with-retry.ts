import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { ConnectionIsNotSetError, type DataSource, QueryFailedError, TypeORMError } from 'typeorm';
import { formatErrorReason } from './format-error-reason.js';

const MIN_RETRY_DELAY_MS = 250;
const MAX_RETRY_DELAY_MS = 5_000;

/**
 * Tries until PostgreSQL is there or the signal says to stop.
 * @throws TypeORMError when the entities are at fault: no amount of patience helps
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
      logger.warn({ reason: formatErrorReason(error), retryInMs: pause }, 'no database yet');
      await sleep(pause, undefined, { signal: stop }).catch(() => undefined);
    }
  }
}

/** A server that goes away while TypeORM asks it for its version leaves a pool that nothing else would close. */
async function closeHalfOpen({ driver }: DataSource): Promise<void> {
  try {
    await driver.disconnect();
  } catch (error) {
    if (!(error instanceof ConnectionIsNotSetError)) throw error;
  }
}
