/** spec.md 4.1 and 4.5. */
export const OAUTH_PATHS = {
  authorization: '/oauth2/authorize',
  token: '/oauth2/token',
  introspection: '/oauth2/introspect',
  revocation: '/oauth2/revoke',
  endSession: '/oauth2/logout',
  jwks: '/.well-known/jwks.json',
  userinfo: '/oauth2/userinfo',
} as const;
