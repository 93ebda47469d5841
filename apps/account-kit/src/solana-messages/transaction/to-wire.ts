const SIGNATURE_BYTES = 64;

/** The transaction as nodes take it. @param signatures 64 bytes for each signer */
export const toWire = ({
  message,
  signatures,
}: {
  readonly message: Buffer;
  readonly signatures: Buffer;
}): Buffer => Buffer.concat([Buffer.of(signatures.length / SIGNATURE_BYTES), signatures, message]);
