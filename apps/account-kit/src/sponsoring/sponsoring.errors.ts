import { type AppError, serviceUnavailable, RETRY_AFTER_SECONDS } from '@app/common';

export const sponsorUnavailable = (cause?: unknown): AppError =>
  serviceUnavailable(
    'sponsor_unavailable',
    'The sponsor cannot pay at the moment.',
    { retryAfter: RETRY_AFTER_SECONDS.refill },
    { cause },
  );
