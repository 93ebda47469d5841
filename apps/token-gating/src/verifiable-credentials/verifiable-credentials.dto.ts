import { MINUTE_SECONDS } from '@app/common';
import { assetId, EXAMPLES } from '@app/dto';
import { z } from 'zod';
import { MAX_ASSETS } from '../assets/asset-ownership.dto.js';
import { communityParams } from '../communities/access/community-record.js';
import { communityRoleParams } from '../communities/roles/community-role.dto.js';
import { CREDENTIAL_TYPES, type CredentialType, getLifetimes } from './credential-types.js';

const MAX_PROOF_LENGTH = 4_096;
const MIN_LIFETIME_SECONDS = MINUTE_SECONDS;
const MAX_CREDENTIAL_LENGTH = 64 * 1_024;
const MAX_CHALLENGE_LENGTH = 512;

const coordinate = z.string().regex(/^[\w-]{43}$/, 'must be 32 bytes in base64url');

/** A public key of the holder; a private one is refused. */
export const holderKey = z
  .object({
    kty: z.literal('EC'),
    crv: z.literal('P-256'),
    x: coordinate,
    y: coordinate,
    d: z.undefined('must not be sent: it is the private key').optional(),
  })
  .transform(({ kty, crv, x, y }) => ({ kty, crv, x, y }))
  .meta({ id: 'HolderKey', description: 'A public P-256 key as a JSON Web Key.' });
export type HolderKey = z.output<typeof holderKey>;

const shared = {
  account: z
    .string()
    .max(256)
    .optional()
    .describe('One of your linked wallets; the one linked first when absent.'),
  public: z.boolean().default(false).describe('Whether others may read the claims by id and by account.'),
  jwk: holderKey,
  proof: z
    .string()
    .min(1)
    .max(MAX_PROOF_LENGTH)
    .describe(
      'A JWT (`typ: openid4vci-proof+jwt`, ES256) that this key signed, with `aud`, which is the issuer, `iat` and `nonce`.',
    ),
};

function createLifetime(type: CredentialType) {
  const { maxLifetimeSeconds, defaultLifetimeSeconds } = getLifetimes(type);
  return z
    .int()
    .min(MIN_LIFETIME_SECONDS)
    .max(maxLifetimeSeconds)
    .default(defaultLifetimeSeconds)
    .describe('Seconds.');
}

const communityId = communityParams.shape.communityId;

export const issueRequest = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('asset-ownership'),
      assets: z
        .array(assetId.meta({ description: 'CAIP-19 asset id.' }))
        .min(1, 'must hold at least one asset')
        .max(MAX_ASSETS, `must hold at most ${MAX_ASSETS} assets`)
        .describe('All are held now.'),
      expiresIn: createLifetime('asset-ownership'),
      ...shared,
    }),
    z.strictObject({
      type: z.literal('community-membership'),
      communityId,
      expiresIn: createLifetime('community-membership'),
      ...shared,
    }),
    z.strictObject({
      type: z.literal('community-role'),
      communityId,
      roleId: communityRoleParams.shape.roleId.describe('A role that you have now.'),
      expiresIn: createLifetime('community-role'),
      ...shared,
    }),
  ])
  .meta({
    id: 'VerifiableCredentialRequest',
    example: {
      type: 'asset-ownership',
      account: EXAMPLES.holder,
      assets: [`eip155:${EXAMPLES.chainId}/erc20:${EXAMPLES.erc20}`],
      jwk: {
        kty: 'EC',
        crv: 'P-256',
        x: 'MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4',
        y: '4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM',
      },
      proof: 'A JWT with a nonce of POST /account/verifiable-credentials/nonces',
    },
  });
export type IssueRequest = z.output<typeof issueRequest>;

export const credentialNonce = z
  .object({ nonce: z.string(), expiresTime: z.iso.datetime() })
  .meta({ id: 'CredentialNonce', description: 'A nonce for one proof.' });
export type CredentialNonce = z.output<typeof credentialNonce>;

/** The blocks at which assets were read. */
export const readBlocks = z
  .array(
    z.object({
      chain: z.string().describe('CAIP-2.'),
      number: z.int().nonnegative().describe('Of Solana the slot.'),
    }),
  )
  .describe('The oldest block that was read of each chain; without chains whose node named none.');

const claims = z.looseObject({
  account: z.string().optional().describe('CAIP-10.'),
  assets: z.array(z.string()).optional().describe('CAIP-19.'),
  readTime: z.iso.datetime().optional().describe('When the chain was read.'),
  blocks: readBlocks.optional(),
  communityId: z.string().optional(),
  communityOwner: z
    .string()
    .optional()
    .describe('CAIP-10: the account of the owner of a public community when the credential was issued.'),
  roleId: z.string().optional(),
});
export type CredentialClaims = z.output<typeof claims>;

const publicFields = {
  id: z.string(),
  type: z.enum(CREDENTIAL_TYPES),
  vct: z.string(),
  createdTime: z.iso.datetime(),
  expiresTime: z.iso.datetime(),
  claims,
};

export const publicCredential = z.object(publicFields).meta({
  id: 'PublicVerifiableCredential',
  description: 'What a credential says that its user made public.',
});
export type PublicCredential = z.output<typeof publicCredential>;

export const publicCredentialList = z
  .object({ items: z.array(publicCredential) })
  .meta({ id: 'PublicVerifiableCredentialList' });
export type PublicCredentialList = z.output<typeof publicCredentialList>;

const ownFields = {
  ...publicFields,
  public: z.boolean(),
  status: z.enum(['valid', 'revoked']),
  thumbprint: z.string().describe('RFC 7638, of the key to which it is bound.'),
};

export const ownCredential = z
  .object(ownFields)
  .meta({ id: 'VerifiableCredential', description: 'A credential of the user, without its signed form.' });
export type OwnCredential = z.output<typeof ownCredential>;

export const ownCredentialList = z
  .object({ items: z.array(ownCredential) })
  .meta({ id: 'VerifiableCredentialList' });
export type OwnCredentialList = z.output<typeof ownCredentialList>;

export const issuedCredential = z
  .object({
    ...ownFields,
    credential: z.string().describe('The SD-JWT VC. It is answered once, and not stored.'),
  })
  .meta({ id: 'IssuedVerifiableCredential' });
export type IssuedCredential = z.output<typeof issuedCredential>;

export const credentialParams = z.object({
  id: z.uuid().meta({ example: EXAMPLES.credentialId }),
});

export const accountQuery = z.object({
  account: z
    .string()
    .min(1)
    .max(256)
    .meta({ description: 'A plain address or a CAIP-10 id.', example: EXAMPLES.holder }),
});

const challenge = z.string().min(1).max(MAX_CHALLENGE_LENGTH);

export const verificationRequest = z
  .strictObject({
    credential: z
      .string()
      .min(1)
      .max(MAX_CREDENTIAL_LENGTH)
      .describe('An SD-JWT VC with the disclosures that its holder chose, and the key-binding JWT if any.'),
    nonce: challenge.optional().describe('What the key-binding JWT must name; together with `audience`.'),
    audience: challenge.optional().describe('What the key-binding JWT must name; together with `nonce`.'),
  })
  .refine(({ nonce, audience }) => (nonce === undefined) === (audience === undefined), {
    path: ['audience'],
    error: '`nonce` and `audience` need each other',
  })
  .meta({ id: 'CredentialVerificationRequest', example: { credential: EXAMPLES.credential } });
export type VerificationRequest = z.output<typeof verificationRequest>;

export const verification = z
  .object({
    valid: z
      .boolean()
      .describe(
        'Signed by this issuer, not expired, not revoked, and bound to the holder if that was asked.',
      ),
    status: z
      .enum(['valid', 'revoked', 'outdated'])
      .optional()
      .describe(
        '`outdated`: expired, or what it says does not hold now. Absent for what is not a credential of this issuer.',
      ),
    holder: z.enum(['proven', 'unproven']),
    reason: z
      .enum(['credential_invalid', 'expired', 'revoked', 'not_held_now', 'holder_unproven'])
      .optional(),
    type: z.enum(CREDENTIAL_TYPES).optional(),
    claims: claims.optional().describe('Those in clear and those that were disclosed.'),
  })
  .meta({ id: 'CredentialVerification' });
export type Verification = z.output<typeof verification>;
