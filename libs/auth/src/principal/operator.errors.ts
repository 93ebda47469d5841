import { forbidden } from '@app/common';

/** Operators must have signed in at most this long ago. */
export const MAX_OPERATOR_LOGIN_AGE_SECONDS = 15 * 60;

export const operatorRequired = () =>
  forbidden('operator_required', 'Only operators of this deployment may call this operation.');

export const recentLoginRequired = () =>
  forbidden(
    'recent_login_required',
    'Sign in again: this operation requires a login at most 15 minutes ago.',
    { maxAge: MAX_OPERATOR_LOGIN_AGE_SECONDS },
  );
