import type { ReadResult, ReadFailure } from '@app/chain/evm';
import type { EvmAddress } from '@app/dto';
import { preferTransientFailure, type Quantity } from './judge-quantity.js';

type Owners = readonly ReadResult<EvmAddress | null>[];

/** How many tokens each owner has. Each whose owner could not be read may be anybody's. */
interface OwnedTokens {
  readonly byOwner: ReadonlyMap<EvmAddress, number>;
  readonly gap: Quantity['gap'];
}

/** Owners may be ten thousand, and holders to look for among them a thousand: the former are walked through once. */
const kept = new WeakMap<Owners, OwnedTokens>();

/** How many tokens holders have together. @param areKept the same owners are asked about again */
export function countOwnedTokens(owners: Owners, holders: readonly EvmAddress[], areKept: boolean): Quantity {
  const [holder, second] = holders;
  // An index takes longer to make than one holder's tokens to count.
  if (holder !== undefined && second === undefined && !areKept) return countOf(owners, holder);
  const { byOwner, gap } = indexOf(owners);
  const known = holders.reduce((sum, one) => sum + (byOwner.get(one) ?? 0), 0);
  return { known: BigInt(known), gap };
}

function countOf(owners: Owners, holder: EvmAddress): Quantity {
  let [known, unread] = [0, 0];
  let failure: ReadFailure | undefined;
  for (const owner of owners) {
    if (!owner.ok) {
      unread += 1;
      failure = preferTransientFailure(failure, owner);
    } else if (owner.value === holder) known += 1;
  }
  return { known: BigInt(known), gap: failure && { most: BigInt(unread), failure } };
}

function indexOf(owners: Owners): OwnedTokens {
  let index = kept.get(owners);
  if (!index) kept.set(owners, (index = makeIndex(owners)));
  return index;
}

function makeIndex(owners: Owners): OwnedTokens {
  const byOwner = new Map<EvmAddress, number>();
  let unread = 0;
  let failure: ReadFailure | undefined;
  for (const owner of owners) {
    if (!owner.ok) {
      unread += 1;
      failure = preferTransientFailure(failure, owner);
    } else if (owner.value) byOwner.set(owner.value, (byOwner.get(owner.value) ?? 0) + 1);
  }
  return { byOwner, gap: failure && { most: BigInt(unread), failure } };
}
