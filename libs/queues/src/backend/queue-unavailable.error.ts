import { AppError, HTTP_ERROR_NAMES } from '@app/common';

/** The backend is away, silent or full: nothing is known to have been enqueued, and the caller keeps what it promised. */
export class QueueUnavailableError extends AppError {
  constructor(cause: unknown) {
    const details = { code: 'queue_unavailable', retryAfter: 1 };
    super(HTTP_ERROR_NAMES[503], 503, 'The queue cannot be reached at the moment.', details, { cause });
  }
}
