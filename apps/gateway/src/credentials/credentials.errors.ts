import { type AppError, serviceUnavailable } from '@app/common';

const RETRY_AFTER_SECONDS = 2;

const createUnavailableFactory =
  (code: string, message: string) =>
  (cause?: unknown): AppError =>
    serviceUnavailable(code, message, { retryAfter: RETRY_AFTER_SECONDS }, { cause });

/** Neither good nor bad: it cannot be known right now. */
export const credentialsUnavailable = createUnavailableFactory(
  'credentials_unavailable',
  'The credential cannot be checked right now.',
);

export const plansUnavailable = createUnavailableFactory(
  'plans_unavailable',
  'The plans cannot be looked up right now.',
);
