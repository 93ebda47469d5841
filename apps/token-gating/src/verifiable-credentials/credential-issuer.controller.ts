import { Operation, Returns } from '@app/service';
import { Controller, Get, Header, Param } from '@nestjs/common';
import { ApiProduces } from '@nestjs/swagger';
import { createTypeMetadata, type CredentialType, CREDENTIAL_TYPES } from './credential-types.js';
import { CredentialKeyRing } from './credential-key-ring.js';
import { StatusListsService } from './status/status-lists.service.js';
import { VerifiableCredentialConfig } from './verifiable-credential.config.js';
import { z } from 'zod';

const MAX_LIST = 2 ** 31 - 1;

const typeParams = z.object({
  type: z.enum(CREDENTIAL_TYPES).meta({ example: 'asset-ownership' }),
});

const statusListParams = z.object({
  list: z
    .string()
    .regex(/^[1-9]\d{0,9}$/, 'must be a positive number')
    .transform(Number)
    .refine((list) => list <= MAX_LIST, `must be at most ${MAX_LIST}`)
    .meta({ example: '1' }),
});

const statusListToken = z.string().meta({ description: 'A JWT with `typ: statuslist+jwt`.' });

const credentialIssuerMetadata = z
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
type CredentialIssuerMetadata = z.output<typeof credentialIssuerMetadata>;

const credentialTypeMetadata = z
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
type CredentialTypeMetadata = z.output<typeof credentialTypeMetadata>;

/** Far below the day that a key is published before it signs. */
const CACHE_CONTROL = 'public, max-age=300';
/** A list changes every five minutes, at any time after it was asked for. */
const STATUS_CACHE_CONTROL = 'public, max-age=60';

/** What verifiers of credentials need: the keys of the issuer, its types, and its status lists. */
@Controller()
export class CredentialIssuerController {
  constructor(
    private readonly keys: CredentialKeyRing,
    private readonly statusLists: StatusListsService,
    private readonly config: VerifiableCredentialConfig,
  ) {}

  @Get('.well-known/jwt-vc-issuer')
  @Header('Cache-Control', CACHE_CONTROL)
  @Operation({
    caller: 'none',
    summary: 'The issuer of verifiable credentials and its keys',
    description:
      'The public keys that sign verifiable credentials of this service, as verifiers of SD-JWT VC look them up.',
    errors: ['503 credential_keys_unavailable'],
  })
  @Returns(credentialIssuerMetadata)
  getIssuer(): CredentialIssuerMetadata {
    return { issuer: this.config.PUBLIC_URL, jwks: { keys: this.keys.getPublicKeys() } };
  }

  @Get('credential-types/:type')
  @Header('Cache-Control', CACHE_CONTROL)
  @Operation({
    caller: 'none',
    summary: 'The metadata of a type of verifiable credentials',
    description:
      'What a type of credential says: its name and its claims with labels, and which of them can be withheld. Wallets and ' +
      'verifiers look it up by the `vct` of a credential.',
  })
  @Returns(credentialTypeMetadata)
  getType(@Param({ schema: typeParams }) { type }: { type: CredentialType }): CredentialTypeMetadata {
    return createTypeMetadata(this.config.PUBLIC_URL, type);
  }

  @Get('credential-status-lists/:list')
  @Header('Cache-Control', STATUS_CACHE_CONTROL)
  @Header('Content-Type', 'application/statuslist+jwt')
  @ApiProduces('application/statuslist+jwt')
  @Operation({
    caller: 'none',
    summary: 'A status list of verifiable credentials',
    description:
      'A signed Token Status List, which says for each credential of the list whether it was revoked. Verifiers look it up by ' +
      'the address in a credential; it is published every five minutes.',
    errors: ['404 status_list_not_found', '503 credential_keys_unavailable'],
  })
  @Returns(statusListToken)
  getStatusList(@Param({ schema: statusListParams }) { list }: { list: number }): Promise<string> {
    return this.statusLists.publish(list);
  }
}
