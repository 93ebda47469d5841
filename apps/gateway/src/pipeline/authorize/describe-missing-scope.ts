import { DEFAULT_SCOPES, isEthereumCredentialScope } from '@app/auth';
import type { Scope } from '@app/dto';
import type { AuthenticatedCaller } from '../../credentials/authenticated-caller.js';
import { isUserScope } from '../../credentials/effective-scopes.js';

/** For people: whose turn it is when a caller is without a scope. */
export function describeMissingScope(scope: Scope, { client, token }: AuthenticatedCaller): string {
  if (token?.credentialEndsAtMs !== undefined && !isEthereumCredentialScope(scope))
    return `An Ethereum credential never carries the scope ${scope}: send an access token.`;
  if (!token && isUserScope(scope))
    return `The scope ${scope} is for users to grant: send the token of one in Authorization.`;
  if (!client?.scopes.includes(scope) && !DEFAULT_SCOPES.includes(scope))
    return `The scope ${scope} is not approved for this client application.`;
  return `This token was not granted the scope ${scope}: ask for it where the token is made.`;
}
