import base58 from 'bs58';
import { isValidEd25519Signature } from './is-valid-ed25519-signature.js';
import { parseSolanaAddress } from './parse-solana-address.js';
import { listEnvelopes, readSignedEnvelope } from './solana-offchain-message.js';

export interface SolanaSignatureClaim {
  readonly message: string;
  /** Base58. */
  readonly address: string;
  /**
   * 64 bytes in base58 (as Solana writes them), padded base64 or hex with 0x; the three differ in length. Or, in base64 or hex,
   * the signed off-chain message envelope.
   */
  readonly signature: string;
}

/**
 * Whether the account's key signed the text, as it is or in the off-chain message envelope of hardware wallets. False for an
 * address that is not a public key, such as a program's account.
 */
export function isValidSolanaSignature({ message, address, signature }: SolanaSignatureClaim): boolean {
  const key = parseSolanaAddress(address);
  if (!key) return false;
  const bytes = decodeSignature(signature);
  if (bytes) return isSignatureOfText({ text: message, key }, bytes);
  const signed = readSignedEnvelope(decodeLongText(signature), { text: message, key });
  return signed
    ? isValidEd25519Signature({ message: signed.envelope, key, signature: signed.signature })
    : false;
}

/** A valid signature of an ordinary wallet takes one verification, any other up to five, of 0.1 ms each. */
const isSignatureOfText = (signed: { text: string; key: Uint8Array }, signature: Uint8Array): boolean =>
  [Buffer.from(signed.text, 'utf8'), ...listEnvelopes(signed)].some((message) =>
    isValidEd25519Signature({ message, key: signed.key, signature }),
  );

/** Canonical base64, or hex with 0x. Empty for anything else. */
function decodeLongText(text: string): Uint8Array {
  if (/^0x(?:[0-9a-fA-F]{2})+$/.test(text)) return Buffer.from(text.slice(2), 'hex');
  return decodeCanonicalBase64(text) ?? new Uint8Array();
}

function decodeSignature(text: string): Uint8Array | undefined {
  if (/^0x[0-9a-fA-F]{128}$/.test(text)) return Buffer.from(text.slice(2), 'hex');
  if (/^[A-Za-z0-9+/]{86}==$/.test(text)) return decodeCanonicalBase64(text);
  if (/^[1-9A-HJ-NP-Za-km-z]{64,88}$/.test(text)) return base58.decode(text);
  return undefined;
}

/** Rejects base64 with non-zero bits after the last byte, a second encoding of the same bytes. */
function decodeCanonicalBase64(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}
