import { unauthorized } from '@app/common';

/** One answer for a credential that is missing, malformed, unknown, revoked or expired: it teaches nothing. */
export const credentialInvalid = () =>
  unauthorized(
    'credential_invalid',
    'A valid credential is needed: an API key in X-API-Key, or a token in Authorization.',
  );

/** The key is good, but it names a client application and no user. */
export const userRequired = () =>
  unauthorized(
    'user_required',
    'A signed-in user is needed here: this credential names a client application only.',
  );
