import { z } from 'zod';

export const credentialRevocationRequest = z
  .strictObject({
    credential: z
      .string()
      .min(1)
      .max(8_192)
      .meta({ description: 'What stands after `Ethereum` in `Authorization`' }),
  })
  .meta({ id: 'CredentialRevocation' });
export type CredentialRevocationRequest = Readonly<z.output<typeof credentialRevocationRequest>>;

/** As it was given: zod's own check of URLs mends some, and what is signed must be what was asked for. */
const webAddress = z
  .string()
  .max(2_048)
  .regex(/^https?:\/\/[!-~]+$/, { error: 'must be a web address', abort: true })
  .refine((text) => URL.canParse(text), 'must be a web address');

/** spec.md 2.9 and contract.md section 4. */
export const challengeRequest = z
  .strictObject({
    state: z.string().max(1_024).optional().meta({ description: 'Returned unchanged' }),
    uri: webAddress.meta({
      format: 'uri',
      description: 'Of an origin that the client application registered',
    }),
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
export type ChallengeRequest = Readonly<z.output<typeof challengeRequest>>;

export const challengeResponse = z
  .object({
    state: z.string().optional(),
    requestId: z.string(),
    message: z.string().meta({ description: 'The text for the wallet to sign (EIP-4361)' }),
  })
  .meta({ id: 'ChallengeResponse' });
export type ChallengeResponse = Readonly<z.output<typeof challengeResponse>>;

export const idTokenRequest = z
  .strictObject({
    requestId: z.string().min(1).max(128),
    signatureType: z.enum(['eip191', 'ed25519']).default('eip191'),
    signature: z.string().min(1).max(8_192),
    accountId: z.string().max(256).optional(),
  })
  .meta({ id: 'IdTokenRequest' });
export type IdTokenRequest = Readonly<z.output<typeof idTokenRequest>>;

export const idTokenResponse = z
  .object({ idToken: z.string().meta({ description: 'For `Authorization: AE <token>`' }) })
  .meta({ id: 'IdTokenResponse' });
export type IdTokenResponse = Readonly<z.output<typeof idTokenResponse>>;
