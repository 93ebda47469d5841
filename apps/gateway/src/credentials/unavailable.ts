import { type AppError, serviceUnavailable } from '@app/common';

const RETRY_AFTER_S = 2;

const unavailable =
  (code: string, message: string) =>
  (cause?: unknown): AppError =>
    serviceUnavailable(code, message, { retryAfter: RETRY_AFTER_S }, { cause });

/** Neither good nor bad: it cannot be known right now. */
export const credentialsUnavailable = unavailable(
  'credentials_unavailable',
  'The credential cannot be checked right now.',
);

export const plansUnavailable = unavailable('plans_unavailable', 'The plans cannot be looked up right now.');
