import { erc1155Balance, type Outcome, type ReadFailure } from '@app/chain/evm';
import { eachTokenId, type Erc1155Rule } from '@app/dto';
import { boundsOf } from './bounds.js';
import { judgeQuantity, moreTelling, type Quantity } from './judge-quantity.js';
import { plan } from './plan.js';
import type { RuleType } from './rule-type.js';

export const erc1155: RuleType<Erc1155Rule> = {
  type: 'ERC1155',
  countReads: ({ tokenId }) => tokenId.count,
  plan: (rule, holder) => {
    const { contractAddress, tokenId } = rule;
    const reads = Array.from(eachTokenId(tokenId), (id) => erc1155Balance(contractAddress, holder, id));
    return plan(reads, (balances) => judgeQuantity(sum(balances), boundsOf(rule, 0)));
  },
};

/** A balance that could not be read may be anything. */
function sum(balances: readonly Outcome<bigint>[]): Quantity {
  let known = 0n;
  let failure: ReadFailure | undefined;
  for (const balance of balances) {
    if (balance.ok) known += balance.value;
    else failure = moreTelling(failure, balance);
  }
  return { known, gap: failure && { most: undefined, failure } };
}
