import type { ReadResult, ReadFailure } from '@app/chain/evm';
import type { EvmAddress } from '@app/dto';
import { preferTransientFailure, type Quantity } from './judge-quantity.js';

type OwnerResults = readonly ReadResult<EvmAddress | null>[];

interface OwnerIndex {
  readonly countByOwner: ReadonlyMap<string, number>;
  /** Any address may own a token whose owner could not be read. */
  readonly unread: Quantity['unread'];
}

/** A rule may name ten thousand tokens and a user a thousand addresses: the index visits each token once. */
const indexCache = new WeakMap<OwnerResults, OwnerIndex>();

/**
 * Counts the tokens that addresses own together.
 * @param isReused whether the same results are counted again for other addresses
 */
export function countOwnedTokens(
  owners: OwnerResults,
  addresses: readonly string[],
  isReused: boolean,
): Quantity {
  const [address, second] = addresses;
  // Building an index takes longer than counting the tokens of one address.
  if (address !== undefined && second === undefined && !isReused) return countForAddress(owners, address);
  const { countByOwner, unread } = getIndex(owners);
  const known = addresses.reduce((sum, owner) => sum + (countByOwner.get(owner) ?? 0), 0);
  return { known: BigInt(known), unread };
}

function countForAddress(owners: OwnerResults, address: string): Quantity {
  let known = 0;
  const unread = visitOwners(owners, (owner) => {
    if (owner === address) known += 1;
  });
  return { known: BigInt(known), unread };
}

function getIndex(owners: OwnerResults): OwnerIndex {
  let index = indexCache.get(owners);
  if (!index) {
    const countByOwner = new Map<EvmAddress, number>();
    const unread = visitOwners(owners, (owner) => {
      countByOwner.set(owner, (countByOwner.get(owner) ?? 0) + 1);
    });
    indexCache.set(owners, (index = { countByOwner, unread }));
  }
  return index;
}

/** Calls `visit` for each token with an owner. @returns what the failed reads may hide */
function visitOwners(owners: OwnerResults, visit: (owner: EvmAddress) => void): Quantity['unread'] {
  let failedReads = 0;
  let failure: ReadFailure | undefined;
  for (const owner of owners) {
    if (!owner.ok) {
      failedReads += 1;
      failure = preferTransientFailure(failure, owner);
    } else if (owner.value) visit(owner.value);
  }
  return failure && { maxAmount: BigInt(failedReads), failure };
}
