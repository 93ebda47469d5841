import { BASIC_SCOPES, isCredentialScope } from '@app/auth';
import type { Scope } from '@app/dto';

/** Rights over more than the user who grants them: the client application has to have them as well. */
const OF_THE_CLIENT = new Set<string>([
  'token-gating',
  'accountkit',
  'operator',
  'user:client-application:write',
] satisfies Scope[]);

const needsClient = (scope: Scope): boolean => OF_THE_CLIENT.has(scope) || scope.startsWith('community:');
export const needsUser = (scope: Scope): boolean => scope.startsWith('user:');

/**
 * What a caller may do (contract.md section 1).
 * @param client scopes that the client application has now
 * @param token scopes that the token was granted; absent where an API key came alone
 */
export function effectiveScopes(client: readonly Scope[], token?: readonly Scope[]): Scope[] {
  return token
    ? token.filter((scope) => !needsClient(scope) || client.includes(scope))
    : client.filter((scope) => !needsUser(scope));
}

/**
 * What an Ethereum credential is good for. It is its own grant, which nobody keeps and can narrow: so it carries no more
 * than its client application could have one made for now.
 */
export const credentialScopes = (client: readonly Scope[], credential: readonly Scope[]): Scope[] =>
  credential.filter(
    (scope) => isCredentialScope(scope) && (BASIC_SCOPES.includes(scope) || client.includes(scope)),
  );
