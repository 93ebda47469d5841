import { keccak_256 } from '@noble/hashes/sha3';

/** The 32-byte hash that a wallet signs for a text (EIP-191, version 0x45). */
export function hashPersonalMessage(message: string): Uint8Array {
  const bytes = Buffer.from(message, 'utf8');
  return keccak_256(Buffer.concat([Buffer.from(`\x19Ethereum Signed Message:\n${bytes.length}`), bytes]));
}
