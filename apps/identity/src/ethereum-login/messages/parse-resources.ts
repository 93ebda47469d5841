import { DEFAULT_SCOPES, isEthereumCredentialScope, parseScopeUrn } from '@app/auth';
import type { Scope } from '@app/dto';
import { invalidResource, scopeNotAllowed } from '../ethereum-login.errors.js';

export interface RequestedScopes {
  /** Whether the message shall be a credential by itself, and no login. */
  readonly isCredential: boolean;
  readonly scopes: readonly Scope[];
}

/** The scopes that a message's resources name. */
export const parseResourceScopes = (resources: readonly string[]): Scope[] =>
  resources.flatMap((resource) => parseScopeUrn(resource) ?? []);

/**
 * What a challenge's resources ask for.
 * @param credentialMark the resource that makes a message a credential
 * @throws AppError 400 for a resource that is no scope, 403 for one that the client application may not have
 */
export function parseResources(
  resources: readonly string[],
  credentialMark: string,
  allowed: readonly Scope[],
): RequestedScopes {
  const isCredential = resources.includes(credentialMark);
  const named = resources.flatMap((resource, index) => {
    if (resource === credentialMark) return [];
    const found = parseScopeUrn(resource);
    if (!found) throw invalidResource(index, 'must be urn:scope: and a scope, or the mark of a credential');
    if (![...DEFAULT_SCOPES, ...allowed].includes(found)) throw scopeNotAllowed(found);
    if (isCredential && !isEthereumCredentialScope(found))
      throw invalidResource(index, 'is more than a credential can carry: $public and user scopes that read');
    return [found];
  });
  return { isCredential, scopes: named.length === 0 ? DEFAULT_SCOPES : [...new Set(named)] };
}
