import type { Scope } from '@app/dto';

/** Rights over more than the user who grants them: the client application has to have them as well. */
const OF_THE_CLIENT = new Set<string>([
  'token-gating',
  'accountkit',
  'operator',
  'user:client-application:write',
] satisfies Scope[]);

const needsClient = (scope: Scope): boolean => OF_THE_CLIENT.has(scope) || scope.startsWith('community:');
const needsUser = (scope: Scope): boolean => scope.startsWith('user:');

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
