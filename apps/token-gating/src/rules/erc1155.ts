import { createErc1155BalanceRead, createErc1155UriRead, type ReadResult } from '@app/chain/evm';
import { iterateTokenIds, type Erc1155Rule } from '@app/dto';
import { toBounds, judgeQuantity, listAmounts, sumBalances } from './judge-quantity.js';
import { createReadPlan } from './create-read-plan.js';
import { countSubjectReads } from './delegations/plan-delegations.js';
import type { RuleType, ReadPlan, Resolved } from './rule-type.js';
import type { RuleServices } from './rule-services.js';
import type { HeldToken, HeldTokens } from './traits/held-tokens.js';
import { judgeHeldTokens, type TraitRule } from './traits/trait-rule.js';

export const erc1155: RuleType<Erc1155Rule> = {
  type: 'ERC1155',
  countReads: (rule, addressCount) => countSubjectReads(rule, addressCount, rule.tokenId.count),
  planReads: (rule, addresses, _, services) => {
    const { contractAddress, tokenId, query } = rule;
    if (query !== undefined) return planErc1155Traits(rule, query, addresses, services);
    const reads = addresses.flatMap((address) =>
      Array.from(iterateTokenIds(tokenId), (id) => createErc1155BalanceRead(contractAddress, address, id)),
    );
    return createReadPlan(reads, (balances) => judgeQuantity(sumBalances(balances), toBounds(rule, 0)));
  },
  listAmounts: ({ query }, addresses, balances) => {
    if (query !== undefined) return undefined;
    const idCount = balances.length / addresses.length;
    return addresses.map((_, index) => {
      const amounts = listAmounts(balances.slice(index * idCount, (index + 1) * idCount));
      return amounts.reduce(
        (sum, amount) => (sum === undefined || amount === undefined ? undefined : sum + amount),
        0n,
      );
    });
  },
};

/** Counts the balances of the ids whose metadata matches. */
function planErc1155Traits(
  rule: Resolved<Erc1155Rule>,
  query: string,
  addresses: readonly string[],
  services: RuleServices,
): ReadPlan {
  const { contractAddress, tokenId, variables = {} } = rule;
  const reads = addresses.flatMap((address) =>
    Array.from(iterateTokenIds(tokenId), (id) => createErc1155BalanceRead(contractAddress, address, id)),
  );
  const traitRule: TraitRule = {
    ...{ query, variables },
    bounds: toBounds(rule, 0),
    chainId: rule.chainId,
    createUriRead: (id) => createErc1155UriRead(contractAddress, id),
  };
  return createReadPlan(reads, (balances) =>
    judgeHeldTokens(traitRule, toHeldTokens(iterateTokenIds(tokenId), tokenId.count, balances), services),
  );
}

/** @param balances of every id for the first address, then for the next */
function toHeldTokens(
  ids: Iterable<bigint>,
  count: number,
  balances: readonly ReadResult<bigint>[],
): HeldTokens {
  const tokens = Array.from(ids, (id, index): HeldToken => {
    let amount = 0n;
    for (let at = index; at < balances.length; at += count) {
      const balance = balances[at];
      if (balance?.ok) amount += balance.value;
    }
    return { id, amount };
  }).filter(({ amount }) => amount > 0n);
  return { tokens, unread: sumBalances(balances).unread };
}
