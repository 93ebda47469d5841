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
  type ReceivedTokens,
  toLargeTextRead,
} from '@app/chain/evm';
import {
  type Erc1155Rule,
  type Erc721Rule,
  type EvmAddress,
  iterateTokenIds,
  type TokenIdSource,
} from '@app/dto';
import { explainOwners, findKindFailure } from '../../rules/collection-check.js';
import type { ContractKind } from '../../rules/contract-kinds.service.js';
import type { RuleServices } from '../../rules/rule-services.js';
import {
  type AssetReader,
  AssetReadError,
  type HeldToken,
  type Holding,
  MAX_TOKENS,
} from './asset-reader.js';
import type { ReceivedTokensService } from './received-tokens.service.js';

/** Ids whose owners are read for one asset: anyone can send tokens to anyone, and nodes can lie about logs. */
const MAX_CANDIDATES = 500;

/**
 * Finds the tokens of a contract that does not enumerate them among those that the addresses received. Their owners are read at
 * the block of the balances. A batch with more tokens than may be read is cut: what is left out makes the number smaller than
 * the balance, and never a list wrong.
 * @returns undefined unless as many are found as `balance`
 */
async function findReceivedTokens(
  contract: EvmAddress,
  addresses: readonly string[],
  balance: bigint,
  reader: AssetReader,
  transfers: Pick<ReceivedTokensService, 'scan'>,
): Promise<bigint[] | undefined> {
  const { block, chainId, request } = reader;
  if (block === undefined || balance > BigInt(MAX_TOKENS)) return undefined;
  const known = new Set<bigint>();
  const held: bigint[] = [];
  let unread: bigint[] = [];
  const { tenantId, signal } = request;
  for await (const { ids, ranges } of transfers.scan(chainId, {
    contract,
    receivers: addresses,
    block,
    tenantId,
    signal,
  })) {
    for (const id of ids) {
      if (known.has(id)) continue;
      known.add(id);
      unread.push(id);
    }
    if (known.size > MAX_CANDIDATES) return undefined;
    for (const id of iterateRanges(ranges)) {
      if (known.size >= MAX_CANDIDATES) break;
      if (known.has(id)) continue;
      known.add(id);
      unread.push(id);
    }
    if (BigInt(held.length + unread.length) < balance) continue;
    const owners = await reader.read(unread.map((id) => createErc721OwnerRead(contract, id)));
    held.push(
      ...unread.filter((_, index) => {
        const owner = owners[index];
        return owner?.ok && owner.value !== null && addresses.includes(owner.value);
      }),
    );
    // Burnt tokens of old collections revert without a reason.
    const isUnread = owners.some((owner) => !owner.ok && owner.code !== 'reverted');
    if (isUnread || BigInt(held.length) > balance) return undefined;
    if (BigInt(held.length) === balance) return held.sort((a, b) => (a < b ? -1 : 1));
    unread = [];
  }
  return undefined;
}

/** Lazily, because a contract can emit a range of 2^255 tokens. */
function* iterateRanges(ranges: ReceivedTokens['ranges']): Generator<bigint> {
  for (const { first, last } of ranges) for (let id = first; id <= last; id += 1n) yield id;
}

export interface CollectionSources extends Pick<RuleServices, 'contractKinds'> {
  readonly transfers: Pick<ReceivedTokensService, 'scan'>;
}

/** Tokens whose URIs are read although the contract does not claim to have any: some contracts have them without ERC-165. */
const PROBED_TOKENS = 5;

/**
 * Reads NFTs in up to five rounds, and those of logs: balances and interfaces, ids, and the URIs of the tokens that are
 * held.
 */
export async function readErc721(
  { contractAddress, tokenId }: Erc721Rule,
  addresses: readonly string[],
  reader: AssetReader,
  sources: CollectionSources,
): Promise<Holding> {
  const id = getTokenId(tokenId);
  const [[metadata], { balance, ids }] = await Promise.all([
    reader.read([createSupportsInterfaceRead(contractAddress, INTERFACE_IDS.erc721Metadata)]),
    id === undefined
      ? enumerateTokens(contractAddress, addresses, reader, sources)
      : readOwnedToken(contractAddress, id, addresses, reader, sources),
  ]);
  if (!ids) return { balance: balance.toString() };
  const tokens = ids.map((one): HeldToken => ({ id: one.toString(), balance: '1' }));
  const claimsUris = metadata?.ok === true && metadata.value;
  const uriReads = ids.map((one) => createTokenUriRead(contractAddress, one));
  return { balance: balance.toString(), tokens: await addUris(tokens, uriReads, claimsUris, reader) };
}

/** Two rounds. */
export async function readErc1155(
  { contractAddress, tokenId }: Erc1155Rule,
  addresses: readonly string[],
  reader: AssetReader,
): Promise<Holding> {
  const id = getTokenId(tokenId) ?? 0n;
  const balance = await reader.sum(
    addresses.map((address) => createErc1155BalanceRead(contractAddress, address, id)),
  );
  if (balance === 0n) return { balance: '0', tokens: [] };
  const tokens = [{ id: id.toString(), balance: balance.toString() }];
  const uriReads = [createErc1155UriRead(contractAddress, id)];
  return { balance: balance.toString(), tokens: await addUris(tokens, uriReads, true, reader) };
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

/** @throws AssetReadError for a contract that is no collection of ERC-721 */
async function readKind(
  contract: EvmAddress,
  hasTokenId: boolean,
  reader: AssetReader,
  { contractKinds }: CollectionSources,
): Promise<ContractKind> {
  const { chainId } = reader;
  let kind = contractKinds.find(chainId, contract);
  if (!kind) {
    const [decimals, erc721, erc1155] = contractKinds.createReads(contract);
    const results = [reader.tryOne(decimals), reader.tryOne(erc721), reader.tryOne(erc1155)] as const;
    kind = contractKinds.record(chainId, contract, await Promise.all(results));
  }
  const failure = findKindFailure(kind, hasTokenId);
  if (failure) throw new AssetReadError(failure);
  return kind;
}

async function readOwnedToken(
  contract: EvmAddress,
  id: bigint,
  addresses: readonly string[],
  reader: AssetReader,
  sources: CollectionSources,
): Promise<HeldIds> {
  const [kind, read] = await Promise.all([
    readKind(contract, true, reader, sources),
    reader.tryOne(createErc721OwnerRead(contract, id)),
  ]);
  const [owner = read] = explainOwners([read], kind);
  if (!owner.ok) throw new AssetReadError(owner);
  const isHeld = owner.value !== null && addresses.includes(owner.value);
  return isHeld ? { balance: 1n, ids: [id] } : { balance: 0n, ids: [] };
}

async function enumerateTokens(
  contract: EvmAddress,
  addresses: readonly string[],
  reader: AssetReader,
  sources: CollectionSources,
): Promise<HeldIds> {
  const [enumerable, balances] = await Promise.all([
    reader.tryOne(createSupportsInterfaceRead(contract, INTERFACE_IDS.erc721Enumerable)),
    reader.readAll(addresses.map((address) => createErc721BalanceRead(contract, address))),
    readKind(contract, false, reader, sources),
  ]);
  const balance = balances.reduce((sum, one) => sum + one, 0n);
  if (balance === 0n) return { balance, ids: [] };
  const reads = addresses.flatMap((address, index) =>
    listIndexes(balances[index] ?? 0n).map((at) => createTokenOfOwnerRead(contract, address, at)),
  );
  // A contract without ERC-165 may list its tokens all the same.
  const [first] = reads;
  const isListed = (enumerable.ok && enumerable.value) || (first && (await reader.tryOne(first)).ok);
  if (!isListed) {
    const ids = await findReceivedTokens(contract, addresses, balance, reader, sources.transfers);
    return ids ? { balance, ids } : { balance };
  }
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

/** @param uriReads one per token. @param areClaimed whether the contract says that it has them */
async function addUris(
  tokens: readonly HeldToken[],
  uriReads: readonly ContractRead<string>[],
  areClaimed: boolean,
  reader: AssetReader,
): Promise<HeldToken[]> {
  const uris = await reader.read(areClaimed ? uriReads : uriReads.slice(0, PROBED_TOKENS));
  if (!areClaimed && uris.some(({ ok }) => ok))
    uris.push(...(await reader.read(uriReads.slice(PROBED_TOKENS))));
  return tokens.map((token, index) => {
    const uri = uris[index];
    if (uri?.ok) return { ...token, uri: uri.value };
    const [read] = uriReads.slice(index, index + 1);
    if (!read || uri?.code !== 'malformed_answer') return token;
    const key = `${reader.chainId} ${read.to} ${read.data}`;
    return {
      ...token,
      longUri: { key, lane: 'foreground', read: () => reader.tryOne(toLargeTextRead(read)) },
    };
  });
}
