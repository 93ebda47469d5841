import type { KoaContextWithOIDC, UnknownObject } from 'oidc-provider';

/** When the user of a token signed in: operations that need a fresh login ask for it. */
export function signInTime({ oidc }: KoaContextWithOIDC): UnknownObject | undefined {
  const { AuthorizationCode: code, RefreshToken: refresh } = oidc.entities;
  const time = code?.authTime ?? refresh?.authTime ?? oidc.session?.authTime();
  return time === undefined ? undefined : { auth_time: time };
}
