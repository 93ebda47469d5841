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
