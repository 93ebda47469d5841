import { type Scope, scope } from '@app/dto';

const SCOPE_URN = 'urn:scope:';

/** A scope as messages to be signed name it among their resources (contract.md section 4). */
export const scopeUrn = (one: Scope): string => SCOPE_URN + one;

/** Undefined for a resource that names no scope of ours. */
export const scopeOfUrn = (resource: string): Scope | undefined =>
  resource.startsWith(SCOPE_URN) ? scope.safeParse(resource.slice(SCOPE_URN.length)).data : undefined;
