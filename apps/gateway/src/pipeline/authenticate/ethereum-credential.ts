import {
  ETHEREUM_CREDENTIAL_LIFETIME_MS,
  type EthereumCredentialGrant,
  isValidSignInNonce,
  parseEthereumCredential,
  parseEthereumCredentialGrant,
} from '@app/auth';
import { parseSignInMessage, type SignInMessage } from '@app/chain/sign-in';
import type { FindKey } from '../../credentials/token-key-cache.js';

/** What a credential says. Whether its signature is good has not been asked yet. */
export interface EthereumCredential extends EthereumCredentialGrant {
  /** The text that was signed. */
  readonly text: string;
  /** `0x` and hex digits. */
  readonly signature: string;
  readonly message: SignInMessage;
  readonly expiresAtMs: number;
}

/** How far another machine's clock may be ahead of ours. */
const MAX_CLOCK_SKEW_MS = 60_000;

/**
 * Undefined for everything that is no credential of ours for this moment: a message of a login, of another service, for
 * more than a day, or with a nonce that we made for another end.
 */
export function validateEthereumCredential(
  credential: string,
  publicUrl: string,
  nonceKeyOf: FindKey<'nonce'>,
): EthereumCredential | undefined {
  const { text = '', signature = '' } = parseEthereumCredential(credential) ?? {};
  const parsed = parseSignInMessage(text);
  if (!parsed.ok) return undefined;
  const { message } = parsed;
  const expiresAtMs = isForThisService(message, publicUrl) ? getExpiryMs(message) : undefined;
  const grant = parseEthereumCredentialGrant(message.resources ?? [], publicUrl);
  if (expiresAtMs === undefined || !grant) return undefined;
  const { address, nonce, expirationTime = '' } = message;
  const binding = { purpose: 'credential', clientId: grant.clientId, address, expirationTime } as const;
  if (!isValidSignInNonce(binding, nonce, nonceKeyOf)) return undefined;
  return { text, signature, message, expiresAtMs, ...grant };
}

function isForThisService({ scheme, domain, uri }: SignInMessage, publicUrl: string): boolean {
  const { host, protocol } = new URL(publicUrl);
  if (scheme !== undefined && `${scheme}:` !== protocol) return false;
  return domain === host && (uri === publicUrl || uri.startsWith(`${publicUrl}/`));
}

/** When it ends; undefined for one that never does, has ended, has not begun, or was made for too long. */
function getExpiryMs({ issuedAt, expirationTime, notBefore }: SignInMessage): number | undefined {
  if (expirationTime === undefined) return undefined;
  const begin = Date.parse(issuedAt);
  const end = Date.parse(expirationTime);
  const now = Date.now();
  const hasBegun = [begin, Date.parse(notBefore ?? issuedAt)].every(
    (time) => time <= now + MAX_CLOCK_SKEW_MS,
  );
  return hasBegun && end > now && end - begin <= ETHEREUM_CREDENTIAL_LIFETIME_MS ? end : undefined;
}
