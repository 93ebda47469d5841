import { DEFAULT_SCOPES, isEthereumCredentialScope, parseScopeUrn } from '@app/auth';
import type { Scope } from '@app/dto';
import { invalidResource, scopeNotAllowed } from '../ethereum-login.errors.js';

export interface RequestedScopes {
  /** Whether the message is a credential instead of a login. */
  readonly isCredential: boolean;
  readonly scopes: readonly Scope[];
}

/** The scopes among a message's resources. */
export const parseResourceScopes = (resources: readonly string[]): Scope[] =>
  resources.flatMap((resource) => parseScopeUrn(resource) ?? []);

/**
 * Parses the resources of a challenge request.
 * @param credentialResource the resource that marks a message as a credential
 * @throws AppError 400 for a resource that is not a scope, 403 for a scope that the client application may not request
 */
export function parseResources(
  resources: readonly string[],
  credentialResource: string,
  allowed: readonly Scope[],
): RequestedScopes {
  const isCredential = resources.includes(credentialResource);
  const scopes = resources.flatMap((resource, index) => {
    if (resource === credentialResource) return [];
    const scope = parseScopeUrn(resource);
    if (!scope) throw invalidResource(index, 'must be urn:scope:<scope> or the resource of credentials');
    if (![...DEFAULT_SCOPES, ...allowed].includes(scope)) throw scopeNotAllowed(scope);
    if (isCredential && !isEthereumCredentialScope(scope))
      throw invalidResource(index, 'must be $public or a read scope of the user in a credential');
    return [scope];
  });
  return { isCredential, scopes: scopes.length === 0 ? DEFAULT_SCOPES : [...new Set(scopes)] };
}
