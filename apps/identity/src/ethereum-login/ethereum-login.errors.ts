import type { SignInMessageProblem } from '@app/chain/sign-in';
import { forbidden, unauthorized } from '@app/common';
import { invalidField } from '../common/request.errors.js';

export const invalidAccount = (message: string) => invalidField('input_invalid', 'accountId', message);

/**
 * The error of a message that cannot be made: only `uri` can be invalid, or the message too long, which needs
 * resources; the service creates the other fields.
 */
export const invalidMessage = ({ field, reason }: SignInMessageProblem) =>
  field === 'message'
    ? invalidField('input_invalid', 'resources', `make the message too long, which ${reason}`)
    : invalidField('input_invalid', field, reason);

/** The field that names the page of a sign-in. */
export type PageField = 'uri' | 'domain';

export const invalidPage = (field: PageField, message: string) =>
  invalidField('input_invalid', field, message);

export const unregisteredOrigin = (field: PageField) =>
  invalidField('origin_invalid', field, 'must have an origin that the client application registered');

export const scopesNotSigned = () =>
  invalidField('input_invalid', 'scopes', 'must have a scope of the signed message');

export const invalidResource = (index: number, message: string) =>
  invalidField('input_invalid', `resources.${index}`, message);

export const scopeNotAllowed = (scope: string) =>
  forbidden('scope_forbidden', `The client application may not request the scope ${scope}.`);

/** The same error for every cause, so that an attacker does not learn which check failed. */
export const loginFailed = () =>
  unauthorized(
    'login_invalid',
    'The challenge is unknown or already used, or this account did not sign its message. Request a new challenge.',
  );

/** Tells no stranger anything: only the client application that requested the challenge knows its id. */
export const loginExpired = () =>
  unauthorized('login_invalid', 'The challenge has expired. Request a new challenge and sign its message.');

/** Permanent: the deployment has no nodes of the chain. */
export const chainNotSupported = () =>
  unauthorized(
    'login_chain_not_supported',
    'This service has no nodes of this chain, so contract wallets cannot sign in there. Use a wallet with a private key.',
  );
