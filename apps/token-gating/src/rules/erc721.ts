import { type Address, erc721Balance, erc721Owner, type Outcome, type ReadFailure } from '@app/chain/evm';
import { eachTokenId, type Erc721Rule, type EvmAddress } from '@app/dto';
import { boundsOf } from './bounds.js';
import { judgeBalances } from './judge-balances.js';
import { judgeQuantity, moreTelling, type Quantity } from './judge-quantity.js';
import { plan } from './plan.js';
import type { RuleType } from './rule-type.js';

export const erc721: RuleType<Erc721Rule> = {
  type: 'ERC721',
  countReads: ({ tokenId }, holders) => tokenId?.count ?? holders,
  plan: (rule, holders) => {
    const { contractAddress, tokenId } = rule;
    if (!tokenId) {
      const reads = holders.map((holder) => erc721Balance(contractAddress, holder));
      return plan(reads, (balances) => judgeBalances(balances, boundsOf(rule, 0)));
    }
    // However many holders: a token has one owner, and is read once.
    const reads = Array.from(eachTokenId(tokenId), (id) => erc721Owner(contractAddress, id));
    return plan(reads, (owners) => judgeQuantity(countOwned(owners, holders), boundsOf(rule, 0)));
  },
};

/** Each id whose owner could not be read may be one of the holders'. */
function countOwned(owners: readonly Outcome<Address | null>[], holders: readonly EvmAddress[]): Quantity {
  let [known, unread]: [bigint, bigint] = [0n, 0n];
  let failure: ReadFailure | undefined;
  for (const owner of owners) {
    if (!owner.ok) {
      unread += 1n;
      failure = moreTelling(failure, owner);
    } else if (owner.value && holders.includes(owner.value)) known += 1n;
  }
  return { known, gap: failure && { most: unread, failure } };
}
