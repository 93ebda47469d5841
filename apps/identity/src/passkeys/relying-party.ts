import { isIP } from 'node:net';

/** The site for which passkeys are made (WebAuthn section 4, relying party identifier). */
export interface RelyingParty {
  /** The host of the login pages. Passkeys work for this host only, so it must never change. */
  readonly id: string;
  readonly origin: string;
}

/** Browsers make passkeys for host names over https, and for localhost. @returns undefined elsewhere */
export function findRelyingParty(authUrl: string): RelyingParty | undefined {
  const { protocol, hostname, origin } = new URL(authUrl);
  const isAddress = isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0;
  const isTrustworthy = protocol === 'https:' || hostname === 'localhost';
  return isAddress || !isTrustworthy ? undefined : { id: hostname, origin };
}
