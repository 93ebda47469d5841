import type { AppError } from '@app/common';
import type { Logger } from '../observability/logger.js';

/** Logs a failure that is ours, for filters: what callers did wrong is not. */
export function logServerError(logger: Logger, error: AppError, requestId: string): void {
  const { statusCode, cause } = error;
  if (statusCode === 500) logger.error({ requestId, err: cause ?? error }, 'request failed');
  else if (statusCode > 500 && cause !== undefined)
    logger.warn({ requestId, err: cause }, 'could not answer');
}
