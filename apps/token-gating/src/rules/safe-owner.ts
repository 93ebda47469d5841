import { createSafeOwnerRead } from '@app/chain/evm';
import type { SafeRule } from '@app/dto';
import { createReadPlan } from './create-read-plan.js';
import { judgeQuantity, listAmounts, sumBalances } from './judge-quantity.js';
import type { RuleType } from './rule-type.js';

const AT_LEAST_ONE = { min: 1n, max: undefined };

/** Granted when any address is an owner of the Safe. */
export const safeOwner: RuleType<SafeRule> = {
  type: 'gnosis',
  countReads: (_, addressCount) => addressCount,
  planReads: ({ contractAddress }, addresses) =>
    createReadPlan(
      addresses.map((address) => createSafeOwnerRead(contractAddress, address)),
      (owned) => judgeQuantity(sumBalances(owned), AT_LEAST_ONE),
    ),
  listAmounts: (_, __, owned) => listAmounts(owned),
};
