import { createErc1155BalanceRead } from '@app/chain/evm';
import { iterateTokenIds, type Erc1155Rule } from '@app/dto';
import { toBounds, judgeQuantity, sumBalances } from './judge-quantity.js';
import { createReadPlan } from './create-read-plan.js';
import type { RuleType } from './rule-type.js';
import { planErc1155Traits } from './traits/erc1155-traits.js';

export const erc1155: RuleType<Erc1155Rule> = {
  type: 'ERC1155',
  countReads: ({ tokenId }, addressCount) => tokenId.count * addressCount,
  planReads: (rule, addresses, _, services) => {
    const { contractAddress, tokenId, query } = rule;
    if (query !== undefined) return planErc1155Traits(rule, query, addresses, services);
    const reads = addresses.flatMap((address) =>
      Array.from(iterateTokenIds(tokenId), (id) => createErc1155BalanceRead(contractAddress, address, id)),
    );
    return createReadPlan(reads, (balances) => judgeQuantity(sumBalances(balances), toBounds(rule, 0)));
  },
};
