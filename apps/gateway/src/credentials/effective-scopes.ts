import { DEFAULT_SCOPES, isEthereumCredentialScope } from '@app/auth';
import { type Scope, knownScopes } from '@app/dto';

/** The scopes of a `scope` claim: separated by spaces. */
export const parseScopeClaim = (claim: string): Scope[] => knownScopes.parse(claim.split(' '));

/** Rights over more than the user who grants them: the client application has to have them as well. */
const CLIENT_SCOPES = new Set<string>([
  'token-gating',
  'accountkit',
  'operator',
  'user:client-application:write',
] satisfies Scope[]);

const isClientScope = (scope: Scope): boolean => CLIENT_SCOPES.has(scope) || scope.startsWith('community:');
export const isUserScope = (scope: Scope): boolean => scope.startsWith('user:');

/**
 * What a caller may do (contract.md section 1).
 * @param client scopes that the client application has now
 * @param token scopes that the token was granted; absent where an API key came alone
 */
export function getEffectiveScopes(client: readonly Scope[], token?: readonly Scope[]): Scope[] {
  return token
    ? token.filter((scope) => !isClientScope(scope) || client.includes(scope))
    : client.filter((scope) => !isUserScope(scope));
}

/**
 * What an Ethereum credential is good for. It is its own grant, which nobody keeps and can narrow: so it carries no more
 * than its client application could have one made for now.
 */
export const getEthereumCredentialScopes = (
  client: readonly Scope[],
  credential: readonly Scope[],
): Scope[] =>
  credential.filter(
    (scope) => isEthereumCredentialScope(scope) && (DEFAULT_SCOPES.includes(scope) || client.includes(scope)),
  );
