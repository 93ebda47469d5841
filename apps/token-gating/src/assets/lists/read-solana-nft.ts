import {
  createCoreAssetsRead,
  createNftRead,
  createSingleUnitReads,
  type SolanaNft,
} from '@app/chain/solana';
import type { SolanaNftRule } from '@app/dto';
import { RULE_READ_LIMIT_EXCEEDED } from '../../rules/rounds/rule-read-limit-failure.js';
import type { RuleServices } from '../../rules/rule-services.js';
import { AssetReadError, type AssetReader } from './asset-reader.js';
import type { Holding } from './holding.js';

export type NftSources = Pick<RuleServices, 'solanaCore' | 'dasAssets'>;

/** Three rounds at most: what the owners hold, and the NFT or their Core assets. An asset names one mint. */
export async function readSolanaNft(
  { chainId, tokenId: [mint = ''] }: SolanaNftRule,
  owners: readonly string[],
  reader: AssetReader,
  sources: NftSources,
): Promise<Holding> {
  const lists = await reader.readAll(owners.flatMap(createSingleUnitReads));
  const isHeld = lists.some((mints) => mints?.includes(mint));
  const nft = isHeld
    ? await reader.readOne(createNftRead(mint))
    : (await readCoreAssets(chainId, owners, reader, sources)).find((asset) => asset.mint === mint);
  if (nft) {
    const uri = nft.uri === undefined ? {} : { uri: nft.uri };
    return { balance: '1', tokens: [{ id: mint, balance: '1', ...uri }] };
  }
  if (!isHeld && lists.includes(null)) throw new AssetReadError(RULE_READ_LIMIT_EXCEEDED);
  return { balance: '0', tokens: [] };
}

async function readCoreAssets(
  chainId: number,
  owners: readonly string[],
  reader: AssetReader,
  { solanaCore, dasAssets }: NftSources,
): Promise<readonly SolanaNft[]> {
  const source = solanaCore.sources.get(chainId);
  if (!source) return [];
  if (source.mode === 'rpc') {
    const lists = await reader.readAll(owners.map(createCoreAssetsRead));
    if (lists.includes(null)) throw new AssetReadError(RULE_READ_LIMIT_EXCEEDED);
    return lists.flatMap((nfts) => nfts ?? []);
  }
  const lists = await Promise.all(owners.map((owner) => dasAssets.list(source.url, owner, reader.request)));
  return lists.flatMap((list) => {
    if ('code' in list) throw new AssetReadError(list);
    return list.nfts;
  });
}
