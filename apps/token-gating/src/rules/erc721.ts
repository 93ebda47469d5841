import { type Address, erc721Balance, erc721Owner, type Outcome, type Read } from '@app/chain/evm';
import { eachTokenId, type Erc721Rule, type TokenIds } from '@app/dto';
import { boundsOf } from './bounds.js';
import { judgeBalances } from './judge-balances.js';
import { judgeQuantity } from './judge-quantity.js';
import { countOwned } from './owned-tokens.js';
import { plan } from './plan.js';
import type { Readable } from './readable-rule.js';
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
    const reads = ownerReads(rule, tokenId);
    const judge = (owners: readonly Outcome<Address | null>[], areKept: boolean) =>
      judgeQuantity(countOwned(owners, holders, areKept), boundsOf(rule, 0));
    return plan(reads, judge, reads.length);
  },
};

/** A rule may be planned for a thousand holders, and ids are many. */
const readsOf = new WeakMap<object, readonly Read<Address | null>[]>();

/** A token has one owner: these are the reads of a rule whoever it is planned for. */
function ownerReads(rule: Readable<Erc721Rule>, tokenId: TokenIds): readonly Read<Address | null>[] {
  let reads = readsOf.get(rule);
  if (!reads) {
    reads = Array.from(eachTokenId(tokenId), (id) => erc721Owner(rule.contractAddress, id));
    readsOf.set(rule, reads);
  }
  return reads;
}
