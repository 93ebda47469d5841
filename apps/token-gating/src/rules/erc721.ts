import {
  createErc721BalanceRead,
  createErc721OwnerRead,
  type ReadResult,
  type ContractRead,
} from '@app/chain/evm';
import { type EvmAddress, iterateTokenIds, type Erc721Rule, type TokenIds } from '@app/dto';
import { toBounds } from './bounds.js';
import { judgeBalances } from './judge-balances.js';
import { judgeQuantity } from './judge-quantity.js';
import { countOwnedTokens } from './count-owned-tokens.js';
import { createReadPlan } from './create-read-plan.js';
import type { Resolved } from './resolved-rule.js';
import type { RuleType } from './rule-type.js';

export const erc721: RuleType<Erc721Rule> = {
  type: 'ERC721',
  countReads: ({ tokenId }, holders) => tokenId?.count ?? holders,
  planReads: (rule, holders) => {
    const { contractAddress, tokenId } = rule;
    if (!tokenId) {
      const reads = holders.map((holder) => createErc721BalanceRead(contractAddress, holder));
      return createReadPlan(reads, (balances) => judgeBalances(balances, toBounds(rule, 0)));
    }
    const reads = ownerReads(rule, tokenId);
    const judge = (owners: readonly ReadResult<EvmAddress | null>[], areKept: boolean) =>
      judgeQuantity(countOwnedTokens(owners, holders, areKept), toBounds(rule, 0));
    return createReadPlan(reads, judge, reads.length);
  },
};

/** A rule may be planned for a thousand holders, and ids are many. */
const readsOf = new WeakMap<object, readonly ContractRead<EvmAddress | null>[]>();

/** A token has one owner: these are the reads of a rule whoever it is planned for. */
function ownerReads(
  rule: Resolved<Erc721Rule>,
  tokenId: TokenIds,
): readonly ContractRead<EvmAddress | null>[] {
  let reads = readsOf.get(rule);
  if (!reads) {
    reads = Array.from(iterateTokenIds(tokenId), (id) => createErc721OwnerRead(rule.contractAddress, id));
    readsOf.set(rule, reads);
  }
  return reads;
}
