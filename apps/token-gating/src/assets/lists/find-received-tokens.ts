import { createErc721OwnerRead, type ReceivedTokens } from '@app/chain/evm';
import type { EvmAddress } from '@app/dto';
import type { AssetReader } from './asset-reader.js';
import { MAX_TOKENS } from './holding.js';
import type { ReceivedTokensService } from './received-tokens.service.js';

/** Ids whose owners are read for one asset: anyone can send tokens to anyone, and nodes can lie about logs. */
const MAX_CANDIDATES = 500;

/**
 * Finds the tokens of a contract that does not enumerate them among those that the addresses received. Their owners are read at
 * the block of the balances. A batch with more tokens than may be read is cut: what is left out makes the number smaller than
 * the balance, and never a list wrong.
 * @returns undefined unless as many are found as `balance`
 */
export async function findReceivedTokens(
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
