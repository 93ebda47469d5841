import { type Scope, scope } from '@app/dto';

/** What any client application may ask a user for, and what is asked for when nothing is named (contract.md section 4). */
export const DEFAULT_SCOPES: readonly Scope[] = ['$public', 'user:read'];

const SCOPE_URN_PREFIX = 'urn:scope:';

/** A scope as messages to be signed name it among their resources (contract.md section 4). */
export const toScopeUrn = (one: Scope): string => SCOPE_URN_PREFIX + one;

/** Undefined for a resource that names no scope of ours. */
export const parseScopeUrn = (resource: string): Scope | undefined =>
  resource.startsWith(SCOPE_URN_PREFIX)
    ? scope.safeParse(resource.slice(SCOPE_URN_PREFIX.length)).data
    : undefined;
