import { AppError, HTTP_ERROR_NAMES, RETRY_AFTER_SECONDS } from '@app/common';

/** The backend is unavailable, timed out or is full. The jobs may or may not have been enqueued. */
export class QueueUnavailableError extends AppError {
  constructor(cause: unknown) {
    const details = { code: 'queue_unavailable', retryAfter: RETRY_AFTER_SECONDS.turn };
    super(HTTP_ERROR_NAMES[503], 503, 'The queue is unavailable. Try again later.', details, { cause });
  }
}
