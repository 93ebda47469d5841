import { MINUTE_SECONDS, forbidden } from '@app/common';

/** Operators must have signed in at most this long ago. */
export const MAX_OPERATOR_LOGIN_AGE_SECONDS = 15 * MINUTE_SECONDS;

const LOGIN_AGE_MINUTES = MAX_OPERATOR_LOGIN_AGE_SECONDS / MINUTE_SECONDS;

/** The sentence in an operation's description that says who may call it. */
export const FOR_OPERATORS = `For operators who signed in at most ${LOGIN_AGE_MINUTES} minutes ago. Every call is audited.`;

export const operatorRequired = () =>
  forbidden('operator_required', 'Only operators of this deployment may call this operation.');

export const recentLoginRequired = () =>
  forbidden(
    'recent_login_required',
    `Sign in again: this operation requires a login at most ${LOGIN_AGE_MINUTES} minutes ago.`,
    { maxAge: MAX_OPERATOR_LOGIN_AGE_SECONDS },
  );
