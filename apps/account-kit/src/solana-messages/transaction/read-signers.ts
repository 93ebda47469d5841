const SIGNATURE_BYTES = 64;
const KEY_BYTES = 32;
/** Set in the first byte of a message that names its version there; a legacy one begins with its header. */
const VERSION_BIT = 0x80;
const HEADER_BYTES = 3;
/** From this number on, the count of keys takes two bytes. */
const TWO_BYTES = 0x80;

/** The public keys of the signers of a message that was decoded before it was stored: decoding it again would cost more than signing. */
export function readSignerKeys(message: Buffer): Buffer[] {
  const header = (message.readUInt8(0) & VERSION_BIT) === 0 ? 0 : 1;
  const signers = message.readUInt8(header);
  const keyCount = header + HEADER_BYTES;
  const keys = keyCount + (message.readUInt8(keyCount) < TWO_BYTES ? 1 : 2);
  return Array.from({ length: signers }, (_, index) =>
    message.subarray(keys + index * KEY_BYTES, keys + (index + 1) * KEY_BYTES),
  );
}

/** The signature of a signer of a stored transaction; zeros if it is missing. */
export const readSignature = ({ signatures }: { readonly signatures: Buffer }, signer: number): Buffer =>
  signatures.subarray(signer * SIGNATURE_BYTES, (signer + 1) * SIGNATURE_BYTES);
