import {
  createErc721BalanceRead,
  createErc721OwnerRead,
  type ReadResult,
  type ContractRead,
} from '@app/chain/evm';
import { type EvmAddress, iterateTokenIds, type Erc721Rule, type TokenIds } from '@app/dto';
import { toBounds, judgeBalances, judgeQuantity, listAmounts } from './judge-quantity.js';
import { checkCollection } from './collection-check.js';
import { countOwnedTokens } from './count-owned-tokens.js';
import { createReadPlan } from './create-read-plan.js';
import { countSubjectReads } from './delegations/plan-delegations.js';
import type { ReadPlan, ReadValue, Resolved, RuleType } from './rule-type.js';
import type { RuleServices } from './rule-services.js';
import { planEnumeratedTraits, planErc721Traits } from './traits/erc721-traits.js';

export const erc721: RuleType<Erc721Rule> = {
  type: 'ERC721',
  countReads: (rule, addressCount) =>
    rule.tokenId
      ? rule.tokenId.count + countSubjectReads(rule, addressCount, 0)
      : countSubjectReads(rule, addressCount, 1) + (rule.query === undefined ? 0 : 1),
  planReads: (rule, addresses, _, services) =>
    checkCollection(rule, rule.tokenId !== undefined, planHoldings(rule, addresses, services), services),
  listAmounts: ({ tokenId, query }, addresses, outcomes) => {
    if (query !== undefined) return undefined;
    return tokenId === undefined ? listAmounts(outcomes) : countByOwner(outcomes, addresses);
  },
};

function countByOwner(owners: readonly ReadResult<ReadValue>[], addresses: readonly string[]): bigint[] {
  const counts = new Map(addresses.map((address) => [address, 0n]));
  for (const owner of owners) {
    if (!owner.ok || typeof owner.value !== 'string') continue;
    const count = counts.get(owner.value);
    if (count !== undefined) counts.set(owner.value, count + 1n);
  }
  return addresses.map((address) => counts.get(address) ?? 0n);
}

function planHoldings(
  rule: Resolved<Erc721Rule>,
  addresses: readonly string[],
  services: RuleServices,
): ReadPlan {
  const { contractAddress, tokenId, query } = rule;
  if (!tokenId) {
    if (query !== undefined) return planEnumeratedTraits(rule, query, addresses, services);
    const reads = addresses.map((address) => createErc721BalanceRead(contractAddress, address));
    return createReadPlan(reads, (balances) => judgeBalances(balances, toBounds(rule, 0)));
  }
  const reads = getOwnerReads(rule, tokenId);
  if (query !== undefined) return planErc721Traits({ ...rule, tokenId }, query, reads, addresses, services);
  const judge = (owners: readonly ReadResult<EvmAddress | null>[], isReused: boolean) =>
    judgeQuantity(countOwnedTokens(owners, addresses, isReused), toBounds(rule, 0));
  return createReadPlan(reads, judge, reads.length);
}

/** Owner reads by rule, because one rule may be planned for a thousand members and name many ids. */
const readsByRule = new WeakMap<object, readonly ContractRead<EvmAddress | null>[]>();

/** Reads the owner of each token once, whatever the number of addresses. */
function getOwnerReads(
  rule: Resolved<Erc721Rule>,
  tokenId: TokenIds,
): readonly ContractRead<EvmAddress | null>[] {
  let reads = readsByRule.get(rule);
  if (!reads) {
    reads = Array.from(iterateTokenIds(tokenId), (id) => createErc721OwnerRead(rule.contractAddress, id));
    readsByRule.set(rule, reads);
  }
  return reads;
}
