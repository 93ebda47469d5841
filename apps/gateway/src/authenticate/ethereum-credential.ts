import {
  CREDENTIAL_LIFE_MS,
  type CredentialGrant,
  isNonceFor,
  parseEthereumCredential,
  readGrant,
} from '@app/auth';
import { parseSignInMessage, type SignInMessage } from '@app/chain/sign-in';
import type { KeyOf } from '../credentials/token-key-ring.js';

/** What a credential says. Whether its signature is good has not been asked yet. */
export interface EthereumCredential extends CredentialGrant {
  /** The text that was signed. */
  readonly text: string;
  /** `0x` and hex digits. */
  readonly signature: string;
  readonly message: SignInMessage;
  readonly expiresAtMs: number;
}

/** How far another machine's clock may be ahead of ours. */
const CLOCK_LEEWAY_MS = 60_000;

/**
 * Undefined for everything that is no credential of ours for this moment: a message of a login, of another service, for
 * more than a day, or with a nonce that we made for another end.
 */
export function readEthereumCredential(
  credential: string,
  publicUrl: string,
  nonceKeyOf: KeyOf<'nonce'>,
): EthereumCredential | undefined {
  const { text = '', signature = '' } = parseEthereumCredential(credential) ?? {};
  const parsed = parseSignInMessage(text);
  if (!parsed.ok) return undefined;
  const { message } = parsed;
  const expiresAtMs = isOfThisService(message, publicUrl) ? endOf(message) : undefined;
  const grant = readGrant(message.resources ?? [], publicUrl);
  if (expiresAtMs === undefined || !grant) return undefined;
  const { address, nonce, expirationTime = '' } = message;
  const binding = { purpose: 'credential', clientId: grant.clientId, address, expirationTime } as const;
  if (!isNonceFor(binding, nonce, nonceKeyOf)) return undefined;
  return { text, signature, message, expiresAtMs, ...grant };
}

function isOfThisService({ scheme, domain, uri }: SignInMessage, publicUrl: string): boolean {
  const { host, protocol } = new URL(publicUrl);
  if (scheme !== undefined && `${scheme}:` !== protocol) return false;
  return domain === host && (uri === publicUrl || uri.startsWith(`${publicUrl}/`));
}

/** When it ends; undefined for one that never does, has ended, has not begun, or was made for too long. */
function endOf({ issuedAt, expirationTime, notBefore }: SignInMessage): number | undefined {
  if (expirationTime === undefined) return undefined;
  const begin = Date.parse(issuedAt);
  const end = Date.parse(expirationTime);
  const now = Date.now();
  const hasBegun = [begin, Date.parse(notBefore ?? issuedAt)].every((time) => time <= now + CLOCK_LEEWAY_MS);
  return hasBegun && end > now && end - begin <= CREDENTIAL_LIFE_MS ? end : undefined;
}
