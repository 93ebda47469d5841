import { type Scope, SCOPES } from '@app/dto';

/** What a scope allows, as people read it. */
export const scopeInWords = (scope: string): string =>
  Object.hasOwn(SCOPES, scope) ? SCOPES[scope as Scope] : scope;
