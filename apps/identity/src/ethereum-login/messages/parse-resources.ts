import { DEFAULT_SCOPES, isEthereumCredentialScope, parseScopeUrn, toScopeUrn } from '@app/auth';
import { isSignInResource } from '@app/chain/sign-in';
import type { Scope } from '@app/dto';
import { invalidResource, scopeNotAllowed } from '../ethereum-login.errors.js';

export interface RequestedResources {
  /** Whether the message is a credential instead of a login. */
  readonly isCredential: boolean;
  readonly scopes: readonly Scope[];
  /** The resources of a login message: the given ones, unchanged and in order, and the default scopes if no scope was given. */
  readonly resources: readonly string[];
}

/** URNs are compared without case here, because a wallet may do so (RFC 8141) and show what this service would ignore. */
const SCOPE_URN = /^urn:scope:/i;
/** Capabilities of EIP-5573. A wallet shows them as rights that its user grants, which this service cannot honour. */
const CAPABILITY_URN = /^urn:recap:/i;

/** The scopes among a message's resources. Other resources grant nothing. */
export const parseResourceScopes = (resources: readonly string[]): Scope[] => [
  ...new Set(resources.flatMap((resource) => parseScopeUrn(resource) ?? [])),
];

/**
 * Parses the resources of a challenge request.
 * @param credentialResource the resource that marks a message as a credential
 * @throws AppError 400 for a resource that a message cannot contain, 403 for a scope that the client application may not request
 */
export function parseResources(
  given: readonly string[],
  credentialResource: string,
  allowed: readonly Scope[],
): RequestedResources {
  const isCredential = given.includes(credentialResource);
  for (const [index, resource] of given.entries()) {
    if (resource === credentialResource) continue;
    checkResource(index, resource);
    const scope = parseScopeUrn(resource);
    if (scope === undefined) {
      if (SCOPE_URN.test(resource)) throw invalidResource(index, 'must be urn:scope: and a known scope');
      if (isCredential) throw invalidResource(index, 'must be urn:scope:<scope> in a credential');
    } else if (![...DEFAULT_SCOPES, ...allowed].includes(scope)) throw scopeNotAllowed(scope);
    else if (isCredential && !isEthereumCredentialScope(scope))
      throw invalidResource(index, 'must be $public or a read scope of the user in a credential');
  }
  const scopes = parseResourceScopes(given);
  return scopes.length > 0
    ? { isCredential, scopes, resources: given }
    : { isCredential, scopes: DEFAULT_SCOPES, resources: [...given, ...DEFAULT_SCOPES.map(toScopeUrn)] };
}

function checkResource(index: number, resource: string): void {
  if (!isSignInResource(resource)) throw invalidResource(index, 'must be a URI of RFC 3986');
  if (CAPABILITY_URN.test(resource))
    throw invalidResource(
      index,
      'must not be urn:recap:, because this service grants no capabilities of EIP-5573',
    );
}
