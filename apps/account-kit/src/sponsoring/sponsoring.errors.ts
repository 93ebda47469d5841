import { type AppError, serviceUnavailable } from '@app/common';
import { RETRY_AFTER_SECONDS } from '../retry-after.js';

export const sponsorUnavailable = (cause?: unknown): AppError =>
  serviceUnavailable(
    'sponsor_unavailable',
    'The sponsor cannot pay at the moment.',
    { retryAfter: RETRY_AFTER_SECONDS.refill },
    { cause },
  );
