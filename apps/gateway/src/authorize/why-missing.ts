import { BASIC_SCOPES, isCredentialScope } from '@app/auth';
import type { Scope } from '@app/dto';
import type { Caller } from '../authenticate/caller.js';
import { needsUser } from '../authenticate/effective-scopes.js';

/** For people: whose turn it is when a caller is without a scope. */
export function whyMissing(scope: Scope, { client, token }: Caller): string {
  if (token?.credentialEndsAtMs !== undefined && !isCredentialScope(scope))
    return `An Ethereum credential never carries the scope ${scope}: send an access token.`;
  if (!token && needsUser(scope))
    return `The scope ${scope} is for users to grant: send the token of one in Authorization.`;
  if (!client?.scopes.includes(scope) && !BASIC_SCOPES.includes(scope))
    return `The scope ${scope} is not approved for this client application.`;
  return `This token was not granted the scope ${scope}: ask for it where the token is made.`;
}
