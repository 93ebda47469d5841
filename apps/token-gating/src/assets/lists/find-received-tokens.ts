import { createErc721OwnerRead } from '@app/chain/evm';
import type { EvmAddress } from '@app/dto';
import type { AssetReader } from './asset-reader.js';
import { MAX_TOKENS } from './holding.js';
import type { ReceivedTokensService } from './received-tokens.service.js';

/** Ids whose owners are read for one asset: anyone can send tokens to anyone, and nodes can lie about logs. */
const MAX_CANDIDATES = 500;

/**
 * Finds the tokens of a contract that does not enumerate them among those that the addresses received. Their owners are read at
 * the block of the balances.
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
  for await (const ids of transfers.scan(chainId, {
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
