import { z } from 'zod';
import { assertionResponse } from '../../passkeys/passkey.dto.js';
import { isReturnPath } from '../sessions/login-path.js';

/** Ignores an invalid return path, because the login itself is still valid. */
export const loginQuery = z.object({
  to: z.string().refine(isReturnPath).optional().catch(undefined),
  again: z.literal('yes').optional().catch(undefined),
});
export type LoginQuery = z.output<typeof loginQuery>;

export const walletChallengeRequest = z.strictObject({ accountId: z.string().min(1).max(256) });
export type WalletChallengeRequest = z.output<typeof walletChallengeRequest>;

export const passkeyLoginRequest = z.strictObject({
  response: assertionResponse,
  /** The authorization request that requires the login. */
  uid: z.string().max(64).optional(),
});
export type PasskeyLoginRequest = z.output<typeof passkeyLoginRequest>;

export const walletLoginRequest = z.strictObject({
  requestId: z.string().min(1).max(128),
  accountId: z.string().min(1).max(256),
  signatureType: z.enum(['eip191', 'ed25519']),
  signature: z.string().min(1).max(8_192),
  /** The authorization request that requires the login. */
  uid: z.string().max(64).optional(),
});
export type WalletLoginRequest = z.output<typeof walletLoginRequest>;
