import type { Scope } from '@app/dto';

/** What an application may ask for, in the order of how many need it. */
export const SCOPE_GROUPS: readonly { readonly title: string; readonly scopes: readonly Scope[] }[] = [
  { title: 'Check what wallets hold', scopes: ['token-gating'] },
  { title: 'Sign users in', scopes: ['$public', 'user:read', 'openid', 'offline_access'] },
  {
    title: 'Communities and their roles',
    scopes: ['community:read', 'community:write', 'user:community:read', 'community:analytics'],
  },
  { title: 'Wallets of users', scopes: ['user:wallet:read', 'user:wallet:write'] },
  { title: 'Smart accounts', scopes: ['accountkit'] },
  {
    title: 'Profiles and passkeys of users',
    scopes: ['user:write', 'user:webauthn-credential:read', 'user:webauthn-credential:write'],
  },
  {
    title: 'Verifiable credentials',
    scopes: [
      'verifiable-credential:read',
      'user:verifiable-credential:read',
      'user:verifiable-credential:write',
    ],
  },
];
