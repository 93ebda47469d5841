import type { NodesUnavailable } from '@app/chain/evm';
import type { SignInProblem } from '@app/chain/sign-in';
import { badRequest, forbidden, serviceUnavailable, tooManyRequests, unauthorized } from '@app/common';

const badField = (code: string, path: string, message: string) =>
  badRequest(code, `${path}: ${message}`, { issues: [{ path, message }] });

export const badAccount = (message: string) => badField('invalid_input', 'accountId', message);

/** What the caller gave does not fit a message: it can only be its `uri`, or the length of it all. */
export const badMessage = ({ field, reason }: SignInProblem) =>
  badField('invalid_input', field === 'message' ? '' : field, reason);

export const badUri = (message: string) => badField('invalid_input', 'uri', message);

export const unregisteredOrigin = () =>
  badField('unregistered_origin', 'uri', 'must be of an origin that the client application registered');

export const badResource = (index: number, message: string) =>
  badField('invalid_input', `resources.${index}`, message);

export const noClientApplication = () =>
  unauthorized('no_client_application', 'This operation is for a client application.');

export const scopeNotAllowed = (scope: string) =>
  forbidden('scope_not_allowed', `The client application may not ask for ${scope}.`);

/** One answer for all: who tries does not learn what of it was wrong. */
export const noLogin = () =>
  unauthorized(
    'login_failed',
    'The challenge is unknown, used up or expired, or its message was not signed by this account. Ask for a new one.',
  );

/** It says nothing of the signature. */
export const nodesAway = (cause: NodesUnavailable) =>
  serviceUnavailable(
    'nodes_unavailable',
    'Whether this contract account signed could not be asked. Ask for a new challenge in a while.',
    { retryAfter: 5 },
    { cause },
  );

/** It says nothing of the signature either. */
export const tooManyContractChecks = (retryAfter: number) =>
  tooManyRequests(
    'contract_check_limit',
    'Too many signatures of contract accounts are being checked. Ask for a new challenge in a while.',
    { retryAfter },
  );

/** It depends on the deployment alone: another attempt changes nothing. */
export const noNodesOfChain = () =>
  unauthorized(
    'no_nodes_of_chain',
    'This service has no nodes of the chain that the account is on: only a plain key can sign in there.',
  );
