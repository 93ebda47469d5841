import { type AppError, serviceUnavailable, RETRY_AFTER_SECONDS, unauthorized } from '@app/common';

/**
 * The same error for missing, malformed, unknown, revoked and expired credentials, so that it reveals nothing about
 * them.
 */
export const credentialInvalid = () =>
  unauthorized(
    'credential_invalid',
    'A valid credential is required: an API key in X-API-Key, or a token in Authorization.',
  );

/** The API key is valid, but it identifies a client application and no user. */
export const userRequired = () =>
  unauthorized(
    'user_required',
    'A signed-in user is required: this credential identifies a client application only.',
  );

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
