import { EXAMPLES } from '@app/dto';
import { z } from 'zod';

export const credentialRevocationRequest = z
  .strictObject({
    credential: z
      .string()
      .min(1)
      .max(8_192)
      .meta({ description: 'The value after `Ethereum` in the `Authorization` header' }),
  })
  .meta({ id: 'CredentialRevocation', example: { credential: 'message.signature' } });
export type CredentialRevocationRequest = Readonly<z.output<typeof credentialRevocationRequest>>;

/** Keeps the text unchanged: zod's URL check normalizes URLs, and the signed URL must equal the requested one. */
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
      description: 'Its origin must be registered by the client application',
    }),
    accountId: z
      .string()
      .max(256)
      .optional()
      .meta({ description: 'CAIP-10 account id or plain address. If present, the signer must match' }),
    resources: z
      .array(z.string().max(256))
      .max(50)
      .optional()
      .meta({ description: 'Scopes as `urn:scope:<scope>`' }),
  })
  .meta({
    id: 'ChallengeRequest',
    example: {
      uri: `${EXAMPLES.origin}/`,
      accountId: `eip155:${EXAMPLES.chainId}:${EXAMPLES.holder}`,
      resources: ['urn:scope:user:read'],
    },
  });
export type ChallengeRequest = Readonly<z.output<typeof challengeRequest>>;

export const challengeResponse = z
  .object({
    state: z.string().optional(),
    requestId: z.string(),
    message: z.string().meta({ description: 'The message to sign with the wallet (EIP-4361)' }),
  })
  .meta({ id: 'ChallengeResponse' });
export type ChallengeResponse = Readonly<z.output<typeof challengeResponse>>;

export const idTokenRequest = z
  .strictObject({
    requestId: z.string().min(1).max(128),
    signatureType: z.enum(['eip191', 'ed25519']).default('eip191'),
    signature: z.string().min(1).max(8_192),
    accountId: z.string().max(256).optional().meta({
      description:
        'CAIP-10 account id or plain address. If present, the signer must match. A contract wallet must also be the account of the challenge',
    }),
  })
  .meta({
    id: 'IdTokenRequest',
    example: {
      requestId: 'the requestId of the challenge',
      signature: '0x…',
      accountId: `eip155:${EXAMPLES.chainId}:${EXAMPLES.holder}`,
    },
  });
export type IdTokenRequest = Readonly<z.output<typeof idTokenRequest>>;

export const idTokenResponse = z
  .object({ idToken: z.string().meta({ description: 'For `Authorization: AE <token>`' }) })
  .meta({ id: 'IdTokenResponse' });
export type IdTokenResponse = Readonly<z.output<typeof idTokenResponse>>;
