const SIGNATURE_BYTES = 64;
const KEY_BYTES = 32;
/** Set in the first byte of a message that names its version there; a legacy one begins with its header. */
const VERSION_BIT = 0x80;
/** The header, and the number of keys: no transaction has room for so many that it takes two bytes. */
const BYTES_BEFORE_KEYS = 4;

/** The public keys of the signers of a message that was decoded before it was stored: decoding it again would cost more than signing. */
export function readSignerKeys(message: Buffer): Buffer[] {
  const header = (message.readUInt8(0) & VERSION_BIT) === 0 ? 0 : 1;
  const signers = message.readUInt8(header);
  const keys = header + BYTES_BEFORE_KEYS;
  return Array.from({ length: signers }, (_, index) =>
    message.subarray(keys + index * KEY_BYTES, keys + (index + 1) * KEY_BYTES),
  );
}

/** The signature of a signer of a stored transaction; zeros if it is missing. */
export const readSignature = ({ signatures }: { readonly signatures: Buffer }, signer: number): Buffer =>
  signatures.subarray(signer * SIGNATURE_BYTES, (signer + 1) * SIGNATURE_BYTES);
