/**
 * Solana's off-chain message envelope, version 0: hardware wallets such as Ledger sign a text only inside it
 * (https://docs.anza.xyz/proposals/off-chain-message-signing). The released CLI and older Ledger apps have a shorter header.
 */
const SIGNING_DOMAIN = Buffer.from('\xffsolana offchain', 'latin1');
const HEADER_VERSION = 0;
const KEY_LENGTH = 32;
const SIGNATURE_LENGTH = 64;

/** 0 is ASCII, 1 is UTF-8. Hardware wallets do not sign format 2. */
const FORMATS = [0, 1] as const;
type Format = (typeof FORMATS)[number];

/** Wallets that ask the application for no domain write zeros. */
const NO_APPLICATION_DOMAIN = Buffer.alloc(KEY_LENGTH);

/** Format 0 is defined for printable ASCII. Ledger's app also shows line breaks in it, which every sign-in message has. */
const ASCII_TEXT = /^[\n\x20-\x7e]*$/;
const MAX_TEXT_BYTES = 0xffff;

interface EnvelopeOptions {
  readonly text: string;
  /** The public key that signs, 32 bytes. */
  readonly key: Uint8Array;
}

/** Everything that a wallet may have signed for a text, if its signature comes without the envelope. */
export function listEnvelopes({ text, key }: EnvelopeOptions): Uint8Array[] {
  return listFormats(text).flatMap((format) => [
    createShortEnvelope(text, format),
    createEnvelope({ text, key }, format, NO_APPLICATION_DOMAIN),
  ]);
}

/** A text in the envelope with one signer. */
function createEnvelope(
  { text, key }: EnvelopeOptions,
  format: Format,
  applicationDomain: Uint8Array,
): Uint8Array {
  const signers = Buffer.concat([Buffer.of(1), key]);
  const header = [SIGNING_DOMAIN, Buffer.of(HEADER_VERSION), applicationDomain, Buffer.of(format), signers];
  return Buffer.concat([...header, encodeText(text)]);
}

const createShortEnvelope = (text: string, format: Format): Uint8Array =>
  Buffer.concat([SIGNING_DOMAIN, Buffer.of(HEADER_VERSION, format), encodeText(text)]);

function encodeText(text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  const length = Buffer.alloc(2);
  length.writeUInt16LE(bytes.length);
  return Buffer.concat([length, bytes]);
}

function listFormats(text: string): Format[] {
  if (text === '' || Buffer.byteLength(text) > MAX_TEXT_BYTES) return [];
  return FORMATS.filter((format) => format !== 0 || ASCII_TEXT.test(text));
}

interface SignedEnvelope {
  readonly signature: Uint8Array;
  readonly envelope: Uint8Array;
}

/**
 * Reads what the specification calls an envelope: the number of signatures, the signatures, and the signed bytes. A client sends
 * it where the wallet chose an application domain, which a signature alone does not tell. Undefined unless it has one signature,
 * and its signed bytes are exactly this text, with this key as the only signer.
 */
export function readSignedEnvelope(
  bytes: Uint8Array,
  { text, key }: EnvelopeOptions,
): SignedEnvelope | undefined {
  const domainBegin = SIGNING_DOMAIN.length + 1;
  const signature = bytes.subarray(1, 1 + SIGNATURE_LENGTH);
  const envelope = bytes.subarray(1 + SIGNATURE_LENGTH);
  if (bytes[0] !== 1 || envelope.length < domainBegin) return undefined;
  const applicationDomain = envelope.subarray(domainBegin, domainBegin + KEY_LENGTH);
  const isOfText = listFormats(text).some((format) =>
    [createShortEnvelope(text, format), createEnvelope({ text, key }, format, applicationDomain)].some(
      (expected) => Buffer.compare(expected, envelope) === 0,
    ),
  );
  return isOfText ? { signature, envelope } : undefined;
}
