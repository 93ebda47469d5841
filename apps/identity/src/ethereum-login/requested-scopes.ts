import { BASIC_SCOPES, isCredentialScope, scopeOfUrn } from '@app/auth';
import type { Scope } from '@app/dto';
import { badResource, scopeNotAllowed } from './ethereum-login.errors.js';

export interface RequestedScopes {
  /** Whether the message shall be a credential by itself, and no login. */
  readonly isCredential: boolean;
  readonly scopes: readonly Scope[];
}

/** The scopes that a message's resources name. */
export const scopesIn = (resources: readonly string[]): Scope[] =>
  resources.flatMap((resource) => scopeOfUrn(resource) ?? []);

/**
 * What a challenge's resources ask for.
 * @param credentialMark the resource that makes a message a credential
 * @throws AppError 400 for a resource that is no scope, 403 for one that the client application may not have
 */
export function readResources(
  resources: readonly string[],
  credentialMark: string,
  allowed: readonly Scope[],
): RequestedScopes {
  const isCredential = resources.includes(credentialMark);
  const named = resources.flatMap((resource, index) => {
    if (resource === credentialMark) return [];
    const found = scopeOfUrn(resource);
    if (!found) throw badResource(index, 'must be urn:scope: and a scope, or the mark of a credential');
    if (![...BASIC_SCOPES, ...allowed].includes(found)) throw scopeNotAllowed(found);
    if (isCredential && !isCredentialScope(found))
      throw badResource(index, 'is more than a credential can carry: $public and user scopes that read');
    return [found];
  });
  return { isCredential, scopes: named.length === 0 ? BASIC_SCOPES : [...new Set(named)] };
}
