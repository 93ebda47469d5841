import { generateKeyPairSync, sign } from 'node:crypto';
import base58 from 'bs58';

export interface SolanaKey {
  address: string;
  signed: (message: string) => Buffer;
}

/** A Solana key that signs messages. */
export function solanaKey(): SolanaKey {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  return {
    address: base58.encode(Buffer.from(x, 'base64url')),
    signed: (message) => sign(null, Buffer.from(message), privateKey),
  };
}
