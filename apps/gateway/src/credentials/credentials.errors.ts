import { type AppError, serviceUnavailable, RETRY_AFTER_SECONDS } from '@app/common';

const createUnavailableFactory =
  (code: string, message: string) =>
  (cause?: unknown): AppError =>
    serviceUnavailable(code, message, { retryAfter: RETRY_AFTER_SECONDS.progress }, { cause });

export const credentialsUnavailable = createUnavailableFactory(
  'credentials_unavailable',
  'The credential cannot be verified right now. Try again in a moment.',
);

export const plansUnavailable = createUnavailableFactory(
  'plans_unavailable',
  'The plan cannot be loaded right now. Try again in a moment.',
);
