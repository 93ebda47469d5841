import { z } from 'zod';

const SIGNATURE_TYPES = ['eip191', 'eip1271', 'eip6492', 'ed25519'] as const;
export type SignatureType = (typeof SIGNATURE_TYPES)[number];

/** Published clients send `SIWE`, the name of the message, for what is `eip191` here (contract.md section 11). */
export const signatureType = z.preprocess((value) => {
  if (typeof value !== 'string') return value;
  const name = value.toLowerCase();
  return name === 'siwe' ? 'eip191' : (SIGNATURE_TYPES.find((type) => type === name) ?? value);
}, z.enum(SIGNATURE_TYPES));

/** Linking tells signatures apart without it. Programs that send it at the login send it here, too. */
export const linkSignatureType = signatureType.optional().meta({
  description: 'As at the login: `ed25519` for Solana. May be left out',
});
