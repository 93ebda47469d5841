import { keccak_256 } from '@noble/hashes/sha3';

/** What a wallet signs when it is given a text: the 32 bytes of EIP-191, version 0x45. */
export function hashPersonalMessage(message: string): Uint8Array {
  const bytes = Buffer.from(message, 'utf8');
  return keccak_256(Buffer.concat([Buffer.from(`\x19Ethereum Signed Message:\n${bytes.length}`), bytes]));
}
