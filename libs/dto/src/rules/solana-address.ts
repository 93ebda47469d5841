import base58 from 'bs58';
import { z } from 'zod';

/** 32 bytes in base58. Its letters' case counts. */
export function isSolanaAddress(text: string): boolean {
  if (!/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text)) return false;
  return base58.decode(text).length === 32;
}

/** Validates a Solana address. */
export const solanaAddress = z
  .string('is required: the address of the mint')
  .refine(isSolanaAddress, 'must be a Solana address: 32 bytes in base58');
