import { createNftRead, createSingleUnitReads } from '@app/chain/solana';
import type { SolanaNftRule } from '@app/dto';
import { RULE_READ_LIMIT_EXCEEDED } from '../../rules/rounds/rule-read-limit-failure.js';
import { AssetReadError, type AssetReader } from './asset-reader.js';
import type { Holding } from './holding.js';

const NOT_HELD: Holding = { balance: '0', tokens: [] };

/** Two rounds: what the owners hold, and the NFT. An asset names one mint. */
export async function readSolanaNft(
  { tokenId: [mint] }: SolanaNftRule,
  owners: readonly string[],
  reader: AssetReader,
): Promise<Holding> {
  const lists = await reader.readAll(owners.flatMap(createSingleUnitReads));
  if (lists.includes(null)) throw new AssetReadError(RULE_READ_LIMIT_EXCEEDED);
  if (mint === undefined || !lists.some((mints) => mints?.includes(mint))) return NOT_HELD;
  const nft = await reader.readOne(createNftRead(mint));
  if (!nft) return NOT_HELD;
  return {
    balance: '1',
    tokens: [{ id: mint, balance: '1', ...(nft.uri === undefined ? {} : { uri: nft.uri }) }],
  };
}
