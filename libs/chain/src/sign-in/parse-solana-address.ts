import base58 from 'bs58';

/** The 32 bytes of a Solana address; undefined for any other text. */
export function parseSolanaAddress(address: string): Uint8Array | undefined {
  if (!/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(address)) return undefined;
  const bytes = base58.decode(address);
  return bytes.length === 32 ? bytes : undefined;
}
