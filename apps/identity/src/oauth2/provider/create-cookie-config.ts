import { hkdfSync } from 'node:crypto';
import type { Configuration } from 'oidc-provider';

const KEY_BYTES = 32;
const KEY_DERIVATION_INFO = 'gatehouse oauth2 cookies';

/** The cookie signing key is derived from the deployment's secret, so that all instances share it. */
const deriveCookieKey = (secret: Buffer): string =>
  Buffer.from(hkdfSync('sha256', secret, '', KEY_DERIVATION_INFO, KEY_BYTES)).toString('base64url');

/**
 * The session cookie is bound to the host. The cookies of an authorization request are bound to its paths, so that two tabs
 * do not overwrite each other's; they use `__Secure-`, because `__Host-` requires the path `/`.
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
