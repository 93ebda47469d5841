import { z } from 'zod';

/** spec.md 2.9 and contract.md section 4. */
export const challengeRequest = z
  .strictObject({
    state: z.string().max(1_024).optional().meta({ description: 'Returned unchanged' }),
    uri: z
      .url({ protocol: /^https?$/ })
      .max(2_048)
      .meta({ description: 'Of an origin that the client application registered' }),
    accountId: z
      .string()
      .max(256)
      .optional()
      .meta({ description: 'CAIP-10 or a plain address; then the signer must match' }),
    resources: z
      .array(z.string().max(256))
      .max(50)
      .optional()
      .meta({ description: 'Scopes as `urn:scope:<scope>`' }),
  })
  .meta({ id: 'ChallengeRequest' });

export const challengeResponse = z
  .object({
    state: z.string().optional(),
    requestId: z.string(),
    message: z.string().meta({ description: 'The text for the wallet to sign (EIP-4361)' }),
  })
  .meta({ id: 'ChallengeResponse' });

export const idTokenRequest = z
  .strictObject({
    requestId: z.string().min(1).max(128),
    signatureType: z.enum(['eip191', 'ed25519']).default('eip191'),
    signature: z.string().min(1).max(8_192),
    accountId: z.string().max(256).optional(),
  })
  .meta({ id: 'IdTokenRequest' });

export const idTokenResponse = z
  .object({ idToken: z.string().meta({ description: 'For `Authorization: AE <token>`' }) })
  .meta({ id: 'IdTokenResponse' });
