import {
  type ContractRead,
  createErc1155BalanceRead,
  createErc1155UriRead,
  createErc721BalanceRead,
  createErc721OwnerRead,
  createSupportsInterfaceRead,
  createTokenOfOwnerRead,
  createTokenUriRead,
  INTERFACE_IDS,
} from '@app/chain/evm';
import {
  type Erc1155Rule,
  type Erc721Rule,
  type EvmAddress,
  iterateTokenIds,
  type TokenIdSource,
} from '@app/dto';
import { AssetReadError, type AssetReader } from './asset-reader.js';
import { findReceivedTokens } from './find-received-tokens.js';
import { type HeldToken, type Holding, MAX_TOKENS } from './holding.js';
import type { ReceivedTokensService } from './received-tokens.service.js';

/** Up to three rounds, and those of logs: balances and interfaces, ids, and the URIs of the tokens that are held. */
export async function readErc721(
  { contractAddress, tokenId }: Erc721Rule,
  addresses: readonly string[],
  reader: AssetReader,
  transfers: Pick<ReceivedTokensService, 'scan'>,
): Promise<Holding> {
  const id = getTokenId(tokenId);
  const [[metadata], { balance, ids }] = await Promise.all([
    reader.read([createSupportsInterfaceRead(contractAddress, INTERFACE_IDS.erc721Metadata)]),
    id === undefined
      ? enumerateTokens(contractAddress, addresses, reader, transfers)
      : readOwnedToken(contractAddress, id, addresses, reader),
  ]);
  if (!ids) return { balance: balance.toString() };
  const tokens = ids.map((one): HeldToken => ({ id: one.toString(), balance: '1' }));
  const uriReads =
    metadata?.ok && metadata.value ? ids.map((one) => createTokenUriRead(contractAddress, one)) : [];
  return { balance: balance.toString(), tokens: await addUris(tokens, uriReads, reader) };
}

/** Two rounds. */
export async function readErc1155(
  { contractAddress, tokenId }: Erc1155Rule,
  addresses: readonly string[],
  reader: AssetReader,
): Promise<Holding> {
  const id = getTokenId(tokenId) ?? 0n;
  const [[metadata], balance] = await Promise.all([
    reader.read([createSupportsInterfaceRead(contractAddress, INTERFACE_IDS.erc1155MetadataUri)]),
    reader.sum(addresses.map((address) => createErc1155BalanceRead(contractAddress, address, id))),
  ]);
  if (balance === 0n) return { balance: '0', tokens: [] };
  const tokens = [{ id: id.toString(), balance: balance.toString() }];
  const uriReads = metadata?.ok && metadata.value ? [createErc1155UriRead(contractAddress, id)] : [];
  return { balance: balance.toString(), tokens: await addUris(tokens, uriReads, reader) };
}

/** `ids` is absent when they cannot be known. */
interface HeldIds {
  readonly balance: bigint;
  readonly ids?: readonly bigint[];
}

/** An asset names one token id at most. */
function getTokenId(tokenId: TokenIdSource | undefined): bigint | undefined {
  if (!tokenId || 'url' in tokenId) return undefined;
  const [id] = iterateTokenIds(tokenId);
  return id;
}

async function readOwnedToken(
  contract: EvmAddress,
  id: bigint,
  addresses: readonly string[],
  reader: AssetReader,
): Promise<HeldIds> {
  const owner = await reader.readOne(createErc721OwnerRead(contract, id));
  return owner !== null && addresses.includes(owner) ? { balance: 1n, ids: [id] } : { balance: 0n, ids: [] };
}

async function enumerateTokens(
  contract: EvmAddress,
  addresses: readonly string[],
  reader: AssetReader,
  transfers: Pick<ReceivedTokensService, 'scan'>,
): Promise<HeldIds> {
  const [[enumerable], balances] = await Promise.all([
    reader.read([createSupportsInterfaceRead(contract, INTERFACE_IDS.erc721Enumerable)]),
    reader.readAll(addresses.map((address) => createErc721BalanceRead(contract, address))),
  ]);
  const balance = balances.reduce((sum, one) => sum + one, 0n);
  if (balance === 0n) return { balance, ids: [] };
  if (!enumerable?.ok || !enumerable.value) {
    const ids = await findReceivedTokens(contract, addresses, balance, reader, transfers);
    return ids ? { balance, ids } : { balance };
  }
  const reads = addresses.flatMap((address, index) =>
    listIndexes(balances[index] ?? 0n).map((at) => createTokenOfOwnerRead(contract, address, at)),
  );
  const results = await reader.read(reads.slice(0, MAX_TOKENS));
  const transient = results.find((result) => !result.ok && !result.permanent);
  if (transient && !transient.ok) throw new AssetReadError(transient);
  const ids = new Set(results.flatMap((result) => (result.ok ? [result.value] : [])));
  // A contract that repeats ids, or has fewer than it says, does not know them.
  return ids.size === results.length ? { balance, ids: [...ids] } : { balance };
}

/** Contracts may claim any balance. */
function listIndexes(balance: bigint): number[] {
  const count = balance > BigInt(MAX_TOKENS) ? MAX_TOKENS : Number(balance);
  return Array.from({ length: count }, (_, index) => index);
}

/** @param uriReads one per token, or none */
async function addUris(
  tokens: readonly HeldToken[],
  uriReads: readonly ContractRead<string>[],
  reader: AssetReader,
): Promise<HeldToken[]> {
  const uris = await reader.read(uriReads);
  return tokens.map((token, index) => {
    const uri = uris[index];
    return uri?.ok ? { ...token, uri: uri.value } : token;
  });
}
