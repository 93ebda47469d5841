import {
  ETHEREUM_CREDENTIAL_LIFETIME_MS,
  type EthereumCredentialGrant,
  isValidSignInNonce,
  NONCE_PLACEHOLDER,
  parseEthereumCredential,
  parseEthereumCredentialGrant,
} from '@app/auth';
import { formatSignInMessage, parseSignInMessage, type SignInMessage } from '@app/chain/sign-in';
import type { FindKey } from '../../credentials/token-key-cache.js';
import { MAX_CLOCK_SKEW_MS } from './max-clock-skew.js';

/** A validated credential, except for its signature. */
export interface EthereumCredential extends EthereumCredentialGrant {
  /** The signed text. */
  readonly text: string;
  /** `0x` and hex digits. */
  readonly signature: string;
  readonly message: SignInMessage;
  readonly expiresAtMs: number;
}

/**
 * Validates all of a credential but its signature. Undefined for a malformed one, a login message, another service,
 * a lifetime outside its bounds, or a nonce that was not issued for this message.
 */
export function validateEthereumCredential(
  credential: string,
  publicUrl: string,
  findNonceKey: FindKey<'nonce'>,
): EthereumCredential | undefined {
  const { text = '', signature = '' } = parseEthereumCredential(credential) ?? {};
  const parsed = parseSignInMessage(text);
  if (!parsed.ok) return undefined;
  const { message } = parsed;
  const expiresAtMs = isForThisService(message, publicUrl) ? getExpiryMs(message) : undefined;
  const grant = parseEthereumCredentialGrant(message.resources ?? [], publicUrl);
  if (expiresAtMs === undefined || !grant) return undefined;
  const issued = formatSignInMessage({ ...message, nonce: NONCE_PLACEHOLDER });
  const binding = { purpose: 'credential', clientId: grant.clientId, text: issued } as const;
  if (!isValidSignInNonce(binding, message.nonce, findNonceKey)) return undefined;
  return { text, signature, message, expiresAtMs, ...grant };
}

function isForThisService({ scheme, domain, uri }: SignInMessage, publicUrl: string): boolean {
  const { host, protocol } = new URL(publicUrl);
  if (scheme !== undefined && `${scheme}:` !== protocol) return false;
  return domain === host && (uri === publicUrl || uri.startsWith(`${publicUrl}/`));
}

/** Undefined for a message without expiry, an expired one, one that is not valid yet, or one with too long a lifetime. */
function getExpiryMs({ issuedAt, expirationTime, notBefore }: SignInMessage): number | undefined {
  if (expirationTime === undefined) return undefined;
  const issuedAtMs = Date.parse(issuedAt);
  const expiresAtMs = Date.parse(expirationTime);
  const now = Date.now();
  const hasBegun = [issuedAtMs, Date.parse(notBefore ?? issuedAt)].every(
    (time) => time <= now + MAX_CLOCK_SKEW_MS,
  );
  const isTooLong = expiresAtMs - issuedAtMs > ETHEREUM_CREDENTIAL_LIFETIME_MS;
  return hasBegun && expiresAtMs > now && !isTooLong ? expiresAtMs : undefined;
}
