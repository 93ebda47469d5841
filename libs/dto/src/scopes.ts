import { z } from 'zod';

/** OAuth 2.0 scopes of spec.md 5.3 and of its operations, with their descriptions on the consent page. */
export const SCOPES = {
  $public: 'Know that a user is signed in, and with which wallet address',
  openid: 'Sign in with OpenID Connect',
  offline_access: 'Keep access while the user is away',
  'user:read': 'Read basic profile (name, picture, username)',
  'user:write': 'Change your name and picture',
  'user:wallet:read': "Read the user's connected wallets",
  'user:wallet:write': 'Add or remove a wallet',
  'user:community:read': 'Read communities the user belongs to or administers',
  'community:read': 'Read community information (roles, stats, token-gating rules)',
  'community:write': 'Update community information',
  'community:analytics': 'Read the analytics of a community',
  'token-gating': 'Check wallet holdings',
  accountkit: 'Use smart accounts of chat platforms',
  'verifiable-credential:read': 'Read verifiable credentials that their holders made public',
  'user:verifiable-credential:read':
    'See all your verifiable credentials: your wallets, what they hold, your communities and your roles there',
  'user:verifiable-credential:write':
    'Have credentials issued that name your wallet, what it holds, your communities or your roles there, publish what they say, and revoke them',
  'user:webauthn-credential:read': 'Read passkey credentials',
  'user:webauthn-credential:write': 'Update or delete passkey credentials',
  'user:client-application:write': "Manage the user's client applications and their keys",
  operator: 'Decide about client applications and plans as an operator',
} as const;

export type Scope = keyof typeof SCOPES;

export const scope = z.enum(Object.keys(SCOPES) as [Scope, ...Scope[]]);

/** Scopes that a client application has only after an operator's approval. */
export const APPROVAL_SCOPES: readonly Scope[] = ['token-gating', 'community:analytics', 'accountkit'];

/**
 * Scopes of the deployment's own portal, which no client application can request: it could create API keys for users who
 * sign in to it.
 */
export const PORTAL_SCOPES: readonly Scope[] = ['user:client-application:write', 'operator'];

/** The right of a user over their own client applications, in the deployment's portal and its other tools. */
export const OWNER_SCOPE: Scope = 'user:client-application:write';

/** Scopes in a message of another app; ignores those that this build does not know. */
export const knownScopes = z
  .array(z.string())
  .transform((all) => all.filter((text): text is Scope => scope.safeParse(text).success));
