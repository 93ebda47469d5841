import { Bulkhead } from '@app/limits';
import { platformRequestLimitExceeded } from './platforms.errors.js';

/** Requests to one platform at once: as many as it gets connections. */
const MAX_CONCURRENT = 16;
/**
 * Waiting requests of one client application. If the platform does not answer, the last of them waits for 20 seconds.
 */
const MAX_WAITING_PER_CLIENT = 64;

/** Shares the connections to a platform among client applications, which take turns when all are in use. */
export const createPlatformBulkhead = (): Bulkhead =>
  new Bulkhead({
    max: MAX_CONCURRENT,
    maxWaitingPerKey: MAX_WAITING_PER_CLIENT,
    createFullError: platformRequestLimitExceeded,
  });
