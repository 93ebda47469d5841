import { DEFAULT_SCOPES, isEthereumCredentialScope } from '@app/auth';
import type { Scope } from '@app/dto';
import type { AuthenticatedCaller } from '../../credentials/authenticated-caller.js';
import { isUserScope } from '../../credentials/effective-scopes.js';

/** Explains why a caller lacks a scope, and what to do about it. */
export function describeMissingScope(scope: Scope, { client, token }: AuthenticatedCaller): string {
  if (token?.credentialExpiresAtMs !== undefined && !isEthereumCredentialScope(scope))
    return `An Ethereum credential never carries the scope ${scope}: send an access token.`;
  if (!token && isUserScope(scope))
    return `Only users can grant the scope ${scope}: send a user's token in Authorization.`;
  if (!client?.scopes.includes(scope) && !DEFAULT_SCOPES.includes(scope))
    return `The scope ${scope} is not approved for this client application.`;
  return `This token was not granted the scope ${scope}: request the scope with the next token.`;
}
