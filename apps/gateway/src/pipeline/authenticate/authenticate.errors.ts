import { unauthorized } from '@app/common';

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
