import type { SignInMessageProblem } from '@app/chain/sign-in';
import { forbidden, unauthorized } from '@app/common';
import { invalidField } from '../common/request.errors.js';

export const invalidAccount = (message: string) => invalidField('input_invalid', 'accountId', message);

/** What the caller gave does not fit a message: it can only be its `uri`, or the length of it all. */
export const invalidMessage = ({ field, reason }: SignInMessageProblem) =>
  invalidField('input_invalid', field === 'message' ? '' : field, reason);

export const invalidUri = (message: string) => invalidField('input_invalid', 'uri', message);

export const unregisteredOrigin = () =>
  invalidField('origin_invalid', 'uri', 'must be of an origin that the client application registered');

export const invalidResource = (index: number, message: string) =>
  invalidField('input_invalid', `resources.${index}`, message);

export const scopeNotAllowed = (scope: string) =>
  forbidden('scope_forbidden', `The client application may not ask for ${scope}.`);

/** One answer for all: who tries does not learn what of it was wrong. */
export const loginFailed = () =>
  unauthorized(
    'login_invalid',
    'The challenge is unknown, used up or expired, or its message was not signed by this account. Ask for a new one.',
  );

/** It depends on the deployment alone: another attempt changes nothing. */
export const chainNotSupported = () =>
  unauthorized(
    'contract_wallet_not_supported',
    'This service has no nodes of the chain that the account is on: only a plain key can sign in there.',
  );
