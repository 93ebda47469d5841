import { type AppError, serviceUnavailable } from '@app/common';

const RETRY_AFTER_SECONDS = 2;

const createUnavailableFactory =
  (code: string, message: string) =>
  (cause?: unknown): AppError =>
    serviceUnavailable(code, message, { retryAfter: RETRY_AFTER_SECONDS }, { cause });

export const credentialsUnavailable = createUnavailableFactory(
  'credentials_unavailable',
  'The credential cannot be verified right now. Try again in a moment.',
);

export const plansUnavailable = createUnavailableFactory(
  'plans_unavailable',
  'The plan cannot be loaded right now. Try again in a moment.',
);
