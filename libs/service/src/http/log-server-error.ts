import type { AppError } from '@app/common';
import type { Logger } from '../observability/logger.js';

/** Logs an error with status 5xx; client errors are not logged. */
export function logServerError(logger: Logger, error: AppError, requestId: string): void {
  const { statusCode, cause } = error;
  if (statusCode === 500) logger.error({ requestId, err: cause ?? error }, 'request failed');
  else if (statusCode > 500 && cause !== undefined)
    logger.warn({ requestId, err: cause }, 'request could not be served');
}
