import { erc1155Balance } from '@app/chain/evm';
import { eachTokenId, type Erc1155Rule } from '@app/dto';
import { boundsOf } from './bounds.js';
import { judgeQuantity } from './judge-quantity.js';
import { plan } from './plan.js';
import type { RuleType } from './rule-type.js';
import { sumBalances } from './sum-balances.js';

export const erc1155: RuleType<Erc1155Rule> = {
  type: 'ERC1155',
  countReads: ({ tokenId }, holders) => tokenId.count * holders,
  plan: (rule, holders) => {
    const { contractAddress, tokenId } = rule;
    const reads = holders.flatMap((holder) =>
      Array.from(eachTokenId(tokenId), (id) => erc1155Balance(contractAddress, holder, id)),
    );
    return plan(reads, (balances) => judgeQuantity(sumBalances(balances), boundsOf(rule, 0)));
  },
};
