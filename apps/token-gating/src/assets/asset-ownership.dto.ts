import { account, assetId, EXAMPLES } from '@app/dto';
import { z } from 'zod';

export const MAX_ASSETS = 50;

export const accountParams = z.object({
  account: account
    .describe('Wallet address, CAIP-10 account id, or user id of the platform.')
    .meta({ example: EXAMPLES.holder }),
});
export type AccountParams = z.output<typeof accountParams>;

const assetIds = z
  .array(assetId.meta({ description: 'CAIP-19 asset id.' }))
  .max(MAX_ASSETS, `must hold at most ${MAX_ASSETS} assets`);

/** A repeated parameter, `?assets=…&assets=…`. A single value arrives as a string. */
const toList = (value: unknown) => (typeof value === 'string' ? [value] : value);

export const assetsQuery = z.object({ assets: z.preprocess(toList, assetIds).optional() });

export const ownedAssetsQuery = z.object({
  assets: z
    .preprocess(toList, assetIds.min(1, 'must hold at least one asset'))
    .meta({ example: [`eip155:${EXAMPLES.chainId}/erc20:${EXAMPLES.erc20}`] }),
});
export type OwnedAssetsQuery = z.output<typeof ownedAssetsQuery>;

export const formatQuery = z.object({ format: z.enum(['jwt', 'ae']).default('jwt') });

export const tokenParams = z.object({ token: z.string().min(1).max(8_192).meta({ example: 'token' }) });

const balance = z.union([z.string(), z.number()]);

/** spec.md 2.6 */
export const assetListItem = z
  .object({
    asset: z.string(),
    balance,
    tokens: z.array(
      z
        .object({
          id: z.union([z.string(), z.number()]),
          balance,
          uri: z.string().optional(),
          metadata: z.looseObject({}).optional(),
        })
        .meta({ id: 'AssetToken', description: 'One token of an asset.' }),
    ),
  })
  .meta({ id: 'AssetListItem', description: 'An asset that an account holds.' });

const ownedAsset = z.object({ asset: z.string(), owner: z.boolean() });
export type OwnedAsset = z.output<typeof ownedAsset>;

const assetError = z
  .object({
    asset: z.string(),
    index: z.int().describe('Index of the asset in the request.'),
    name: z.string(),
    message: z.string(),
    retryable: z.boolean().describe('Asking again later may give an answer.'),
  })
  .meta({ id: 'AssetError', description: 'Why an asset could not be read.' });
export type AssetError = z.output<typeof assetError>;

export const assetClaimResponse = z
  .object({
    assets: z.array(ownedAsset),
    errors: z.array(assetError).optional().describe('Assets that could not be read and are not in `assets`.'),
  })
  .meta({ id: 'AssetClaimResponse', description: 'Which of the assets the account owns.' });
export type AssetClaimResponse = z.output<typeof assetClaimResponse>;

/** contract.md section 7: `account` must be one of the user's proven wallets. */
export const assetVerificationRequest = z
  .strictObject({
    account: z.string().max(256),
    assets: z.array(z.string().max(2_048)).max(100),
    socialId: z.string().max(256).optional(),
    openseaUrl: z
      .url({ protocol: /^https$/ })
      .max(2_048)
      .optional(),
    mediaUrl: z
      .url({ protocol: /^https$/ })
      .max(2_048)
      .optional(),
  })
  .meta({
    id: 'AssetVerificationRequest',
    description: 'The claims of a verification token.',
    example: {
      account: EXAMPLES.holder,
      assets: [`eip155:${EXAMPLES.chainId}/erc721:${EXAMPLES.erc721}`],
    },
  });

/** spec.md 2.7 */
export const assetVerificationToken = z
  .object({ token: z.string(), slug: z.string(), url: z.string() })
  .meta({
    id: 'AssetVerificationToken',
    description: 'A token that proves ownership, and the URL that verifies it.',
  });

export const assetVerificationResponse = z
  .object({
    assets: z.array(z.object({ asset: z.string(), owner: z.boolean() })),
    signature: z.string(),
    claim: z.looseObject({
      userId: z.string(),
      socialId: z.string().optional(),
      account: z.string(),
      openseaUrl: z.string().optional(),
      mediaUrl: z.string().optional(),
    }),
  })
  .meta({
    id: 'AssetVerificationResponse',
    description: 'The claims of a verification token and the current ownership.',
  });
