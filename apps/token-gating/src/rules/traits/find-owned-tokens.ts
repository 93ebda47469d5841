import type { ReadResult } from '@app/chain/evm';
import type { EvmAddress } from '@app/dto';
import type { Quantity } from '../judge-quantity.js';
import { addUnread, type HeldToken, type HeldTokens } from './held-tokens.js';

type OwnerResults = readonly ReadResult<EvmAddress | null>[];

interface OwnerIndex {
  readonly tokensByOwner: ReadonlyMap<string, readonly HeldToken[]>;
  /** Any address may own a token whose owner could not be read. */
  readonly unread: Quantity['unread'];
}

/** A rule may name ten thousand tokens and is judged for a thousand members: the index visits each token once. */
const indexCache = new WeakMap<OwnerResults, OwnerIndex>();

/** @param owners one per id */
export function findOwnedTokens(
  ids: Iterable<bigint>,
  owners: OwnerResults,
  addresses: readonly string[],
): HeldTokens {
  const { tokensByOwner, unread } = getIndex(ids, owners);
  return { tokens: addresses.flatMap((address) => tokensByOwner.get(address) ?? []), unread };
}

function getIndex(ids: Iterable<bigint>, owners: OwnerResults): OwnerIndex {
  let index = indexCache.get(owners);
  if (!index) indexCache.set(owners, (index = createIndex(ids, owners)));
  return index;
}

function createIndex(ids: Iterable<bigint>, owners: OwnerResults): OwnerIndex {
  const tokensByOwner = new Map<string, HeldToken[]>();
  let unread: Quantity['unread'];
  let at = 0;
  for (const id of ids) {
    const owner = owners[at++];
    if (!owner) break;
    if (!owner.ok) unread = addUnread(unread, 1n, owner);
    else if (owner.value !== null) {
      const tokens = tokensByOwner.get(owner.value);
      if (tokens) tokens.push({ id, amount: 1n });
      else tokensByOwner.set(owner.value, [{ id, amount: 1n }]);
    }
  }
  return { tokensByOwner, unread };
}
