import { generateKeyPairSync, sign } from 'node:crypto';
import base58 from 'bs58';

export interface SolanaKey {
  address: string;
  signed: (message: string) => Buffer;
  /** Signs as a hardware wallet does: in the off-chain message envelope with the short header, format 0. */
  signedByLedger: (message: string) => Buffer;
  /** Signs in the envelope of the specification with an application domain, together with the envelope. */
  signedWithDomain: (message: string, applicationDomain: Buffer) => Buffer;
}

const VERSION_0 = Buffer.from('\xffsolana offchain\0', 'latin1');

function withLength(message: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16LE(Buffer.byteLength(message));
  return Buffer.concat([length, Buffer.from(message)]);
}

/** A Solana key that signs messages. */
export function solanaKey(): SolanaKey {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  const key = Buffer.from(x, 'base64url');
  return {
    address: base58.encode(key),
    signed: (message) => sign(null, Buffer.from(message), privateKey),
    signedByLedger: (message) =>
      sign(null, Buffer.concat([VERSION_0, Buffer.of(0), withLength(message)]), privateKey),
    signedWithDomain: (message, applicationDomain) => {
      const signers = Buffer.concat([Buffer.of(0, 1), key]);
      const signed = Buffer.concat([VERSION_0, applicationDomain, signers, withLength(message)]);
      return Buffer.concat([Buffer.of(1), sign(null, signed, privateKey), signed]);
    },
  };
}
