import { MAX_OPERATOR_LOGIN_AGE_SECONDS } from '@app/auth';
import { badRequest, conflict, forbidden, MINUTE_SECONDS, notFound } from '@app/common';

/** A user has at most this many passkeys. */
export const MAX_PASSKEYS_PER_USER = 10;

export const passkeyNotFound = () => notFound('passkey_not_found', 'You have no passkey with this id.');

export const passkeyInvalid = () =>
  badRequest('passkey_invalid', 'The passkey could not be verified. Reload the page and try again.');

export const passkeyLimitExceeded = () =>
  conflict(
    'passkey_limit_exceeded',
    `You have ${MAX_PASSKEYS_PER_USER} passkeys, and no more are possible. Remove one first.`,
  );

export const passkeyExists = () => conflict('passkey_conflict', 'This passkey is stored already.');

export const passkeysNotAvailable = () =>
  forbidden(
    'passkeys_not_available',
    'This deployment has no passkeys: its login pages need https and a host name.',
  );

/** The owners of a contract account change, and a passkey of a former owner would stay. */
export const passkeyNotSupported = () =>
  forbidden('passkey_not_supported', 'A user of a contract account cannot have passkeys.');

export const freshLoginRequired = () =>
  forbidden(
    'recent_login_required',
    `Sign in again with your wallet: a passkey is added within ${MAX_OPERATOR_LOGIN_AGE_SECONDS / MINUTE_SECONDS} minutes after a login.`,
  );
