import { type AppError, serviceUnavailable } from '@app/common';

/** Until an operator has filled up what the sponsor pays from. */
const RETRY_AFTER_SECONDS = 60;

export const sponsorUnavailable = (cause?: unknown): AppError =>
  serviceUnavailable(
    'sponsor_unavailable',
    'The sponsor cannot pay at the moment.',
    { retryAfter: RETRY_AFTER_SECONDS },
    { cause },
  );
