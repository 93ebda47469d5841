import { createErc20DecimalsRead, createReadFailure, type ReadResult } from '@app/chain/evm';
import type { EvmAddress, StakingRule } from '@app/dto';
import {
  toBounds,
  judgeBalances,
  sumBalances,
  judgeQuantity,
  listAmounts,
  preferTransientFailure,
  type Quantity,
} from '../judge-quantity.js';
import { createReadPlan, createReadStep } from '../create-read-plan.js';
import type { NextStep, RuleType } from '../rule-type.js';
import { toUndetermined, type Verdict } from '../verdict.js';
import { createStakingAdapterFailure, type StakingReads } from './staking-adapters.service.js';

const MAX_UINT256 = (1n << 256n) - 1n;

/** What the addresses have staked in a contract, in whole tokens. */
export const staking: RuleType<StakingRule> = {
  type: 'staking',
  countReads: (_, addressCount) => addressCount + 1,
  findProblem: (rule, { stakingAdapters }) =>
    stakingAdapters.find(rule)
      ? undefined
      : { field: 'collectionName', message: describeMissingAdapter(rule) },
  planReads: (rule, addresses, _, { stakingAdapters }) => {
    const reads = stakingAdapters.find(rule);
    if (!reads) {
      const failure = createStakingAdapterFailure(describeMissingAdapter(rule));
      return createReadPlan([], () => toUndetermined(failure));
    }
    const stakes = addresses.map(reads.createStakeRead);
    const { token } = reads;
    if (!token) return createReadPlan(stakes, (staked) => judgeBalances(staked, toBounds(rule, 0)));
    return createReadPlan(
      [token, ...stakes],
      ([token, ...staked]) => judgeStakes(rule, reads, token, staked),
      1,
    );
  },
  // The shares of a vault are converted together.
  listAmounts: ({ collectionName }, addresses, outcomes) =>
    collectionName === 'erc4626' ? undefined : listAmounts(outcomes.slice(-addresses.length)),
};

/** Reads the decimals of the token, and converts the stakes where they are shares. */
function judgeStakes(
  rule: StakingRule,
  { createConversionRead }: StakingReads,
  token: ReadResult<EvmAddress>,
  staked: readonly ReadResult<bigint>[],
): Verdict | NextStep {
  const sum = sumBalances(staked);
  const isNothingRead = sum.unread && !staked.some(({ ok }) => ok);
  if (!token.ok) return toUndetermined(preferTransientFailure(sum.unread?.failure, token));
  if (isNothingRead) return toUndetermined(sum.unread.failure);
  const decimals = createErc20DecimalsRead(token.value);
  if (sum.known > MAX_UINT256)
    return toUndetermined(
      createReadFailure('malformed_answer', 'the contract answered more than can be staked'),
    );
  if (!createConversionRead)
    return createReadStep([decimals], ([decimals]) => judgeAmount(rule, decimals, sum));
  return createReadStep([decimals, createConversionRead(sum.known)], ([decimals, amount]) => {
    if (!amount.ok) return toUndetermined(amount);
    return judgeAmount(rule, decimals, { ...sum, known: amount.value });
  });
}

const judgeAmount = (rule: StakingRule, decimals: ReadResult<number>, held: Quantity): Verdict =>
  decimals.ok ? judgeQuantity(held, toBounds(rule, decimals.value)) : toUndetermined(decimals);

const describeMissingAdapter = ({ chainId, contractAddress, collectionName }: StakingRule): string =>
  `${collectionName} is neither erc900 nor erc4626, and this deployment has no adapter of this name for ${contractAddress} on ` +
  `chain ${chainId}: an operator adds one to STAKING_ADAPTERS`;
