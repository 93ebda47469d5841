import { MetadataFetchBudget } from '../../metadata/metadata-fetch-budget.js';
import type { FindMetadataOptions, LongUri, MetadataService } from '../../metadata/metadata.service.js';
import type { AssetListItem } from '../asset-ownership.dto.js';

/** The most metadata of one response, in characters of JSON, because a single document may have a mebibyte. */
const MAX_METADATA_LENGTH = 4 * 1024 * 1024;
/** Longer URIs hold their content, such as images in data URIs. */
const MAX_URI_LENGTH = 2_048;

/** Adds the metadata of tokens that have a URI, as far as it can be had, and removes long URIs. */
export async function addMetadata(
  items: readonly ListedItem[],
  metadata: Pick<MetadataService, 'find' | 'findLong'>,
  options: Pick<FindMetadataOptions, 'tenantId' | 'signal'>,
): Promise<AssetListItem[]> {
  const budget = new MetadataFetchBudget();
  let remaining = MAX_METADATA_LENGTH;
  const find = async ({ id, uri, longUri }: ListedToken): Promise<Record<string, unknown> | undefined> => {
    const findOptions = { ...options, tokenId: parseTokenId(id), budget };
    if (uri === undefined && (longUri === undefined || remaining === 0)) return undefined;
    const result =
      uri !== undefined || longUri === undefined
        ? await metadata.find(uri ?? '', findOptions)
        : await metadata.findLong(longUri, findOptions);
    if (!result.ok || result.text.length > remaining) return undefined;
    remaining -= result.text.length;
    return { ...result.toJson() };
  };
  const addTo = async (token: ListedToken): Promise<AssetToken> => {
    const { uri, longUri: _, ...rest } = token;
    const found = await find(token);
    return {
      ...rest,
      ...(uri !== undefined && uri.length <= MAX_URI_LENGTH ? { uri } : {}),
      ...(found ? { metadata: found } : {}),
    };
  };
  return Promise.all(
    items.map(async (item) =>
      item.tokens ? { ...item, tokens: await Promise.all(item.tokens.map(addTo)) } : item,
    ),
  );
}

/** NFTs of Solana have an address, which replaces nothing in URIs. */
const parseTokenId = (id: string | number): bigint | undefined =>
  /^\d+$/.test(String(id)) ? BigInt(id) : undefined;

/** An item of which some URIs were too long to be read. */
export type ListedItem = Omit<AssetListItem, 'tokens'> & { readonly tokens?: ListedToken[] };

type ListedToken = AssetToken & { readonly longUri?: LongUri };

type AssetToken = NonNullable<AssetListItem['tokens']>[number];
