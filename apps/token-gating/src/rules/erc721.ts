import { type Address, erc721Balance, erc721Owner, type Outcome, type ReadFailure } from '@app/chain/evm';
import { eachTokenId, type Erc721Rule, type EvmAddress } from '@app/dto';
import { boundsOf } from './bounds.js';
import { judgeQuantity, moreTelling, type Quantity } from './judge-quantity.js';
import { plan } from './plan.js';
import type { RuleType } from './rule-type.js';
import { undetermined } from './verdict.js';

export const erc721: RuleType<Erc721Rule> = {
  type: 'ERC721',
  countReads: ({ tokenId }) => tokenId?.count ?? 1,
  plan: (rule, holder) => {
    const { contractAddress, tokenId } = rule;
    if (!tokenId) {
      return plan([erc721Balance(contractAddress, holder)], ([balance]) =>
        balance.ok ? judgeQuantity({ known: balance.value }, boundsOf(rule, 0)) : undetermined(balance),
      );
    }
    const reads = Array.from(eachTokenId(tokenId), (id) => erc721Owner(contractAddress, id));
    return plan(reads, (owners) => judgeQuantity(countOwned(owners, holder), boundsOf(rule, 0)));
  },
};

/** Each id whose owner could not be read may be the holder's. */
function countOwned(owners: readonly Outcome<Address | null>[], holder: EvmAddress): Quantity {
  let [known, unread]: [bigint, bigint] = [0n, 0n];
  let failure: ReadFailure | undefined;
  for (const owner of owners) {
    if (!owner.ok) {
      unread += 1n;
      failure = moreTelling(failure, owner);
    } else if (owner.value === holder) known += 1n;
  }
  return { known, gap: failure && { most: unread, failure } };
}
