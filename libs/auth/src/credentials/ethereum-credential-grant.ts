import { type Scope, scope } from '@app/dto';

/** Scopes that any client application may request, and the default of a request (contract.md section 4). */
export const DEFAULT_SCOPES: readonly Scope[] = ['$public', 'user:read'];

const SCOPE_URN_PREFIX = 'urn:scope:';

/** A scope as a resource of a sign-in message (contract.md section 4). */
export const toScopeUrn = (value: Scope): string => SCOPE_URN_PREFIX + value;

/** Undefined for a resource that is not a known scope. */
export const parseScopeUrn = (resource: string): Scope | undefined =>
  resource.startsWith(SCOPE_URN_PREFIX)
    ? scope.safeParse(resource.slice(SCOPE_URN_PREFIX.length)).data
    : undefined;

/** What a user grants by signing an Ethereum credential. */
export interface EthereumCredentialGrant {
  readonly clientId: string;
  /** The granted scopes, at least one. */
  readonly scopes: readonly Scope[];
}

const CLIENT_URN = 'urn:client:';
const READ_ONLY_SCOPE = /^(?:\$public|user:(?:.+:)?read)$/;

/** Whether a credential may have a scope: only read access to its user's data (contract.md section 4). */
export const isEthereumCredentialScope = (value: Scope): boolean => READ_ONLY_SCOPE.test(value);

/** The resource that marks a message as a credential. @param publicUrl an origin */
export const toEthereumCredentialMarker = (publicUrl: string): string => `${publicUrl}/#credential`;

/** The resources of a credential's message. */
export const toEthereumCredentialResources = (
  publicUrl: string,
  { clientId, scopes }: EthereumCredentialGrant,
): string[] => [toEthereumCredentialMarker(publicUrl), CLIENT_URN + clientId, ...scopes.map(toScopeUrn)];

/** Undefined for resources other than exactly those of a credential, in their order. */
export function parseEthereumCredentialGrant(
  [marker, client = '', ...rest]: readonly string[],
  publicUrl: string,
): EthereumCredentialGrant | undefined {
  if (marker !== toEthereumCredentialMarker(publicUrl) || !client.startsWith(CLIENT_URN)) return undefined;
  const scopes = rest.flatMap((resource) => parseScopeUrn(resource) ?? []);
  if (scopes.length === 0 || scopes.length < rest.length || !scopes.every(isEthereumCredentialScope))
    return undefined;
  return { clientId: client.slice(CLIENT_URN.length), scopes };
}
