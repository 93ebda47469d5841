import { hkdfSync } from 'node:crypto';
import type { Configuration } from 'oidc-provider';

const KEY_BYTES = 32;
const KEY_DERIVATION_INFO = 'gatehouse oauth2 cookies';

/** Cookies are signed under a key of their own that follows from the secret of the deployment: all instances agree on it. */
const deriveCookieKey = (secret: Buffer): string =>
  Buffer.from(hkdfSync('sha256', secret, '', KEY_DERIVATION_INFO, KEY_BYTES)).toString('base64url');

/**
 * The session's cookie is the host's and nobody else's. Those of one authorization request are bound to its paths, so that
 * two tabs do not overwrite each other's, and `__Host-` allows no path.
 */
export function createCookieConfig(secret: Buffer, isHttps: boolean): NonNullable<Configuration['cookies']> {
  const [host, secure] = isHttps ? ['__Host-', '__Secure-'] : ['', ''];
  const flags = { httpOnly: true, sameSite: 'lax', secure: isHttps, signed: true } as const;
  return {
    keys: [deriveCookieKey(secret)],
    names: {
      session: `${host}gatehouse_oauth`,
      interaction: `${secure}gatehouse_interaction`,
      resume: `${secure}gatehouse_resume`,
    },
    long: { ...flags, path: '/' },
    short: flags,
  };
}
