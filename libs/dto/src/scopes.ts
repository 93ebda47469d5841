import { z } from 'zod';

/** OAuth 2.0 scopes of spec.md 5.3 and those that its operations use besides, with the words people read. */
export const SCOPES = {
  $public: 'Know that a user is signed in',
  openid: 'Sign in with OpenID Connect',
  offline_access: 'Keep access while the user is away',
  'user:read': 'Read basic profile (name, picture, username)',
  'user:wallet:read': "Read the user's connected wallets",
  'user:wallet:write': 'Add or remove a wallet',
  'user:community:read': 'Read communities the user belongs to or administers',
  'community:read': 'Read community information (roles, stats, token-gating rules)',
  'community:write': 'Update community information',
  'community:analytics': 'Read the analytics of a community',
  'token-gating': 'Check wallet holdings',
  accountkit: 'Use smart accounts of chat platforms',
  'verifiable-credential:read': 'Read public verifiable credentials',
  'user:verifiable-credential:read': "Read a user's verifiable credentials",
  'user:verifiable-credential:write': "Issue a user's verifiable credentials",
  'user:webauthn-credential:read': 'Read passkey credentials',
  'user:webauthn-credential:write': 'Update or delete passkey credentials',
  'user:client-application:write': "Manage the user's client applications and their keys",
  operator: 'Decide about client applications and plans as an operator',
} as const;

export type Scope = keyof typeof SCOPES;

export const scope = z.enum(Object.keys(SCOPES) as [Scope, ...Scope[]]);

/** Scopes that a client application has only when an operator let it have them. */
export const APPROVAL_SCOPES: readonly Scope[] = ['token-gating', 'community:analytics', 'accountkit'];

/**
 * Scopes that no client application can ask for: whoever runs the deployment gives them to its own portal. Somebody
 * else's application must not be able to make keys for the users who signed in to it.
 */
export const PORTAL_SCOPES: readonly Scope[] = ['user:client-application:write', 'operator'];

/** Scopes as another app of ours names them: one that this build does not know grants nothing. */
export const knownScopes = z
  .array(z.string())
  .transform((all) => all.filter((text): text is Scope => scope.safeParse(text).success));
