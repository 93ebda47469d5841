import { assetId, EXAMPLES } from '@app/dto';
import { z } from 'zod';
import { assetError, MAX_ASSETS, ownedAsset } from '../asset-ownership.dto.js';
import { CLAIM_KEY_USES } from './claim-key-ring.js';

export const formatQuery = z.object({ format: z.enum(CLAIM_KEY_USES).default('jwt') });
export type FormatQuery = z.output<typeof formatQuery>;

export const tokenParams = z.object({ token: z.string().min(1).max(8_192).meta({ example: 'token' }) });
export type TokenParams = z.output<typeof tokenParams>;

const httpsUrl = z.url({ protocol: /^https$/, error: 'must be an https URL' }).max(2_048);
const shortText = z.string().max(256);

/** contract.md section 8. */
export const assetVerificationRequest = z
  .strictObject({
    account: shortText.optional().describe('One of your linked wallets; the one linked first when absent.'),
    assets: z
      .array(assetId.meta({ description: 'CAIP-19 asset id.' }))
      .min(1, 'must hold at least one asset')
      .max(MAX_ASSETS, `must hold at most ${MAX_ASSETS} assets`)
      .optional()
      .describe('All are held now; when absent, tokens that this service watches and the account holds.'),
    socialId: shortText.optional(),
    openseaUrl: httpsUrl.optional(),
    mediaUrl: httpsUrl.optional(),
    userId: shortText.optional().describe('Your own, if present.'),
    classifier: shortText.optional().describe('Accepted for existing clients; not part of the claim.'),
    classifierGroup: shortText.optional().describe('Accepted for existing clients; not part of the claim.'),
  })
  .meta({
    id: 'AssetVerificationRequest',
    description: 'What a verification token claims.',
    example: {
      account: EXAMPLES.holder,
      assets: [`eip155:${EXAMPLES.chainId}/erc20:${EXAMPLES.erc20}`],
    },
  });
export type AssetVerificationRequest = z.output<typeof assetVerificationRequest>;

/** spec.md 2.7 */
export const assetVerificationToken = z
  .object({ token: z.string(), slug: z.string(), url: z.string() })
  .meta({
    id: 'AssetVerificationToken',
    description: 'A token that proves ownership, and the URL that verifies it.',
  });
export type AssetVerificationToken = z.output<typeof assetVerificationToken>;

export const assetVerificationResponse = z
  .object({
    assets: z.array(ownedAsset).describe('Whether the account owns them now.'),
    errors: z.array(assetError).optional().describe('Assets that could not be read and are not in `assets`.'),
    signature: z.string().describe('Of the token.'),
    claim: z.looseObject({
      userId: z.string(),
      name: z.string().optional().describe('What the owner is called now: the name, username or ENS name.'),
      socialId: z.string().optional(),
      account: z.string().describe('CAIP-10.'),
      assets: z.array(z.string()),
      openseaUrl: z.string().optional(),
      mediaUrl: z.string().optional(),
      createdTime: z.iso.datetime(),
      expiresTime: z.iso.datetime(),
    }),
  })
  .meta({
    id: 'AssetVerificationResponse',
    description: 'What a verification token claims, and what the account owns now.',
  });
export type AssetVerificationResponse = z.output<typeof assetVerificationResponse>;
