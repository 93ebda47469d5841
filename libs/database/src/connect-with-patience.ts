import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { ConnectionIsNotSetError, type DataSource, QueryFailedError, TypeORMError } from 'typeorm';
import { reasonOf } from './reason-of.js';

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;

/**
 * Tries until PostgreSQL is there or the signal says to stop.
 * @throws TypeORMError when the entities are at fault: no amount of patience helps
 */
export async function connectWithPatience(
  dataSource: DataSource,
  logger: Logger,
  stop: AbortSignal,
): Promise<void> {
  for (let pause = FIRST_PAUSE_MS; !stop.aborted; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    try {
      await dataSource.initialize();
      logger.info('database connected');
      return;
    } catch (error) {
      if (error instanceof TypeORMError && !(error instanceof QueryFailedError)) throw error;
      await closeHalfOpen(dataSource);
      logger.warn({ reason: reasonOf(error), retryInMs: pause }, 'no database yet');
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
