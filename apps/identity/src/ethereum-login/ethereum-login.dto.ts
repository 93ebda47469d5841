import { parseScopeUrn } from '@app/auth';
import { EXAMPLES, scope } from '@app/dto';
import { z } from 'zod';
import { signatureType } from '../wallet-signatures/signature-type.js';

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

const domain = z
  .string()
  .max(255)
  .regex(/^[\w.:[\]-]+$/, { error: 'must be a host, with its port if it has one', abort: true })
  .refine((text) => URL.canParse(`https://${text}`), 'must be a host, with its port if it has one');

/** Published clients send lists of scopes as OAuth does: one text with spaces between (contract.md section 11). */
const readList = <S extends z.ZodType>(list: S) =>
  z.preprocess(
    (value) => (typeof value === 'string' ? value.split(' ').filter((text) => text !== '') : value),
    list,
  );

const MAX_RESOURCES = 50;
const MAX_RESOURCE_LENGTH = 512;

const resource = z
  .string()
  .max(MAX_RESOURCE_LENGTH)
  .regex(/^[!-~]+$/, 'must be a URI of ASCII characters');

/** spec.md 2.9, contract.md sections 4 and 11. */
export const challengeRequest = z
  .strictObject({
    state: z.string().max(1_024).optional().meta({ description: 'Returned unchanged' }),
    uri: webAddress.optional().meta({
      format: 'uri',
      description:
        'Its origin must be registered by the client application. Required without `domain`, which then stands for `https://<domain>`',
    }),
    domain: domain.optional().meta({ description: 'The host of `uri`, if both are present' }),
    accountId: z
      .string()
      .max(256)
      .optional()
      .meta({ description: 'CAIP-10 account id or plain address. If present, the signer must match' }),
    resources: readList(z.array(resource).max(MAX_RESOURCES)).optional().meta({
      description:
        'URIs, also in one text with spaces between, which the message lists as given and in order. `urn:scope:<scope>` requests a scope; others grant nothing. `urn:recap:` is refused',
    }),
  })
  .refine(({ uri, domain }) => uri !== undefined || domain !== undefined, {
    path: ['uri'],
    error: 'is required without domain',
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

/** A scope, or its form among the resources of a message. */
const scopeOrUrn = z
  .string()
  .max(256)
  .transform((text, context) => {
    const { data } = scope.safeParse(parseScopeUrn(text) ?? text);
    if (data !== undefined) return data;
    context.addIssue({ code: 'custom', message: 'must be a scope' });
    return z.NEVER;
  });

export const idTokenRequest = z
  .strictObject({
    requestId: z.string().min(1).max(128),
    signatureType: signatureType.default('eip191').meta({
      description:
        '`eip191` finds signatures of contract wallets, too; `eip1271`, `eip6492` and `SIWE` mean the same. `ed25519` is for Solana. Case does not matter',
    }),
    signature: z.string().min(1).max(8_192),
    accountId: z.string().max(256).optional().meta({
      description:
        'CAIP-10 account id or plain address. If present, the signer must match. A contract wallet must also be the account of the challenge',
    }),
    scopes: readList(z.array(scopeOrUrn).min(1, 'must have a scope').max(50)).optional().meta({
      description:
        'Scopes, also in one text with spaces between, and also as `urn:scope:<scope>`. The token gets those that the signed message has, too; without this field all of the message',
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
