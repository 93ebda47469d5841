import { PORTAL_SCOPES, type Scope, SCOPES } from '@app/dto';

/** Scopes that every client application may request from a user without approval. */
const DEFAULT_CLIENT_SCOPES: readonly Scope[] = ['$public', 'user:read', 'openid', 'offline_access'];

/** All scopes that a token may contain. */
export const ALL_SCOPES = Object.keys(SCOPES) as Scope[];

/** The scopes in the discovery document: all except those of the deployment's own portal. */
export const PUBLISHED_SCOPES = ALL_SCOPES.filter((scope) => !PORTAL_SCOPES.includes(scope));

/** The scope of a request without one, as in Sign-in with Ethereum. */
export const DEFAULT_SCOPE = '$public user:read';

/** The scopes that a client application may request from a user, separated by spaces. */
export const toClientScope = (approved: readonly Scope[]): string =>
  [...new Set([...DEFAULT_CLIENT_SCOPES, ...approved])].join(' ');

/** Whether a scope needs a user, so that the client credentials grant cannot include it. */
export const isUserScope = (scope: string): boolean =>
  scope.startsWith('user:') ||
  scope === 'operator' ||
  (DEFAULT_CLIENT_SCOPES as readonly string[]).includes(scope);
