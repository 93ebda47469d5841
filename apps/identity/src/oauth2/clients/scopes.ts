import { PORTAL_SCOPES, type Scope, SCOPES } from '@app/dto';

/** Part of signing in itself: every client application may ask a user for them. */
const DEFAULT_CLIENT_SCOPES: readonly Scope[] = ['$public', 'user:read', 'openid', 'offline_access'];

/** Everything that a token may carry. */
export const ALL_SCOPES = Object.keys(SCOPES) as Scope[];

/** Those that are nobody's business but the deployment's own are not told. */
export const PUBLISHED_SCOPES = ALL_SCOPES.filter((scope) => !PORTAL_SCOPES.includes(scope));

/** What is asked for where nothing is named, as in Sign-in with Ethereum. */
export const DEFAULT_SCOPE = '$public user:read';

/** What a client application may ask a user for. */
export const toClientScope = (approved: readonly Scope[]): string =>
  [...new Set([...DEFAULT_CLIENT_SCOPES, ...approved])].join(' ');

/** Without a user there is nothing to do that is a user's. */
export const isUserScope = (scope: string): boolean =>
  scope.startsWith('user:') ||
  scope === 'operator' ||
  (DEFAULT_CLIENT_SCOPES as readonly string[]).includes(scope);
