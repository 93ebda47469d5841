import { account, assetId, EXAMPLES } from '@app/dto';
import { z } from 'zod';
import { MAX_TOKENS } from './lists/asset-reader.js';

export const MAX_ASSETS = 50;

export const accountParams = z.object({
  account: account
    .describe(
      'Wallet address, CAIP-10 account id, or user id of the platform. A contract wallet that is given by its CAIP-10 id counts on the chain of that id only.',
    )
    .meta({ example: EXAMPLES.holder }),
});
export type AccountParams = z.output<typeof accountParams>;

const assetIds = z
  .array(assetId.meta({ description: 'CAIP-19 asset id.' }))
  .max(MAX_ASSETS, `must hold at most ${MAX_ASSETS} assets`);

/** A repeated parameter, `?assets=…&assets=…`. A single value arrives as a string. */
const toList = (value: unknown) => (typeof value === 'string' ? [value] : value);

export const assetsQuery = z.object({
  assets: z
    .preprocess(toList, assetIds)
    .optional()
    .meta({ example: [`eip155:${EXAMPLES.chainId}/erc721:${EXAMPLES.erc721}`] }),
});
export type AssetsQuery = z.output<typeof assetsQuery>;

export const ownedAssetsQuery = z.object({
  assets: z
    .preprocess(toList, assetIds.min(1, 'must hold at least one asset'))
    .meta({ example: [`eip155:${EXAMPLES.chainId}/erc20:${EXAMPLES.erc20}`] }),
});
export type OwnedAssetsQuery = z.output<typeof ownedAssetsQuery>;

export const assetError = z
  .object({
    asset: z.string(),
    index: z.int().describe('Index of the asset in the request.'),
    name: z.string(),
    message: z.string(),
    retryable: z.boolean().describe('Asking again later may give an answer.'),
  })
  .meta({ id: 'AssetError', description: 'Why an asset could not be read.' });
export type AssetError = z.output<typeof assetError>;

/** spec.md allows numbers, which would round ids; the service writes text. */
const decimalText = z.union([z.string(), z.number()]).describe('Decimal text.');

const assetToken = z
  .object({
    id: decimalText,
    balance: decimalText,
    uri: z.string().optional(),
    metadata: z.looseObject({}).optional(),
  })
  .meta({ id: 'AssetToken', description: 'One token of an asset.' });

/** spec.md 2.6 */
export const assetListItem = z
  .object({
    asset: z.string().describe('CAIP-19.'),
    balance: decimalText.optional(),
    tokens: z.array(assetToken).optional().describe(`Of NFTs whose ids are known, at most ${MAX_TOKENS}.`),
    errors: z
      .array(z.object({ name: z.string(), message: z.string(), retryable: z.boolean() }))
      .optional()
      .describe('Why the asset could not be read, instead of a balance.'),
  })
  .meta({ id: 'AssetListItem', description: 'How much of an asset an account holds.' });
export type AssetListItem = z.output<typeof assetListItem>;

export const ownedAsset = z.object({ asset: z.string(), owner: z.boolean() });
export type OwnedAsset = z.output<typeof ownedAsset>;

export const assetClaimResponse = z
  .object({
    assets: z.array(ownedAsset),
    errors: z.array(assetError).optional().describe('Assets that could not be read and are not in `assets`.'),
  })
  .meta({ id: 'AssetClaimResponse', description: 'Which of the assets the account owns.' });
export type AssetClaimResponse = z.output<typeof assetClaimResponse>;
