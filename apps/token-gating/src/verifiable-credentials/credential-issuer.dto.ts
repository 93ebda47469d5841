import { z } from 'zod';
import { CREDENTIAL_TYPES } from './credential-types.js';

const MAX_LIST = 2 ** 31 - 1;

export const typeParams = z.object({
  type: z.enum(CREDENTIAL_TYPES).meta({ example: 'asset-ownership' }),
});

export const statusListParams = z.object({
  list: z
    .string()
    .regex(/^[1-9]\d{0,9}$/, 'must be a positive number')
    .transform(Number)
    .refine((list) => list <= MAX_LIST, `must be at most ${MAX_LIST}`)
    .meta({ example: '1' }),
});

export const statusListToken = z.string().meta({ description: 'A JWT with `typ: statuslist+jwt`.' });

export const credentialIssuerMetadata = z
  .object({
    issuer: z.string(),
    jwks: z.object({
      keys: z.array(
        z.object({
          kty: z.literal('EC'),
          crv: z.literal('P-256'),
          alg: z.literal('ES256'),
          use: z.literal('sig'),
          kid: z.string(),
          x: z.string(),
          y: z.string(),
        }),
      ),
    }),
  })
  .meta({ id: 'CredentialIssuerMetadata', description: 'JWT VC issuer metadata of SD-JWT VC.' });
export type CredentialIssuerMetadata = z.output<typeof credentialIssuerMetadata>;

export const credentialTypeMetadata = z
  .object({
    vct: z.string(),
    name: z.string(),
    description: z.string(),
    display: z.array(z.object({ locale: z.string(), name: z.string(), description: z.string() })),
    claims: z.array(
      z.object({
        path: z.array(z.string().nullable()),
        display: z.array(z.object({ locale: z.string(), label: z.string() })),
        sd: z.enum(['always', 'never']),
      }),
    ),
  })
  .meta({ id: 'CredentialTypeMetadata', description: 'Type metadata of SD-JWT VC.' });
export type CredentialTypeMetadata = z.output<typeof credentialTypeMetadata>;
