import { knownScopes, type Scope } from '@app/dto';

/** The scopes of a `scope` claim: separated by spaces. */
export const scopesIn = (claim: string): Scope[] => knownScopes.parse(claim.split(' '));
