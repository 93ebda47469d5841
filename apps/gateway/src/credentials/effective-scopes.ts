import { DEFAULT_SCOPES, isEthereumCredentialScope } from '@app/auth';
import { type Scope, knownScopes } from '@app/dto';

/** The known scopes of a space-separated `scope` claim. */
export const parseScopeClaim = (claim: string): Scope[] => knownScopes.parse(claim.split(' '));

/** Scopes that reach beyond the user who grants them, so the client application needs them, too. */
const CLIENT_SCOPES = new Set<string>([
  'token-gating',
  'accountkit',
  'operator',
  'user:client-application:write',
] satisfies Scope[]);

const isClientScope = (scope: Scope): boolean => CLIENT_SCOPES.has(scope) || scope.startsWith('community:');
export const isUserScope = (scope: Scope): boolean => scope.startsWith('user:');

/**
 * The scopes that a caller may use (contract.md section 1).
 * @param client the current scopes of the client application
 * @param token the scopes of the token; absent for an API key alone
 */
export function getEffectiveScopes(client: readonly Scope[], token?: readonly Scope[]): Scope[] {
  return token
    ? token.filter((scope) => !isClientScope(scope) || client.includes(scope))
    : client.filter((scope) => !isUserScope(scope));
}

/**
 * The scopes that an Ethereum credential may use. Its grant is not stored and cannot be narrowed, so it is limited to what
 * the client application may request now.
 */
export const getEthereumCredentialScopes = (
  client: readonly Scope[],
  credential: readonly Scope[],
): Scope[] =>
  credential.filter(
    (scope) => isEthereumCredentialScope(scope) && (DEFAULT_SCOPES.includes(scope) || client.includes(scope)),
  );
