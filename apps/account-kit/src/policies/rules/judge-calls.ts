import { size, slice } from 'viem/utils';
import { type AccountCall, toCallFields } from '../../evm/operations/encode-execute.js';
import { parseTokenAmount } from '../../evm/operations/parse-token-amount.js';
import { policyForbidden } from './policies.errors.js';
import type { Policy } from './policy.js';

const SELECTOR_BYTES = 4;

/**
 * Judges each call of an operation and their sums.
 * @throws AppError 403 `policy_forbidden` that names the call
 */
export function judgeCalls(policy: Policy, chainId: number, calls: readonly AccountCall[]): void {
  calls.forEach((call, index) => {
    if (!isAllowed(policy, chainId, call))
      throw policyForbidden(
        `call ${index} to ${call.target} with ${describeData(call)} on chain ${chainId} is not on its list`,
        { path: toCallFields(call, index).target, message: 'is not allowed' },
      );
  });
  const value = calls.reduce((sum, call) => sum + call.value, 0n);
  if (value > policy.maxValue)
    throw policyForbidden(`the calls send ${value} wei, and an operation may send ${policy.maxValue}`);
  judgeTokens(policy, chainId, calls);
}

function isAllowed({ calls: rules }: Policy, chainId: number, { target, data }: AccountCall): boolean {
  const length = size(data);
  // A fallback function decides what one to three bytes mean, so no list of selectors has them.
  const selector = length === 0 ? '0x' : length < SELECTOR_BYTES ? undefined : selectorOf(data);
  return rules.some(
    (rule) =>
      rule.chainId === chainId &&
      (rule.target === 'any' || rule.target === target.toLowerCase()) &&
      (rule.selectors === undefined || (selector !== undefined && rule.selectors.includes(selector))),
  );
}

function judgeTokens({ tokens, caps }: Policy, chainId: number, calls: readonly AccountCall[]): void {
  const capped = caps.flatMap((cap) =>
    cap.of === 'token' ? [{ chainId: cap.chainId, token: cap.token, maxAmount: cap.max }] : [],
  );
  for (const limit of [...tokens, ...capped]) {
    if (limit.chainId !== chainId) continue;
    let amount = 0n;
    calls.forEach((call, index) => {
      if (call.target.toLowerCase() !== limit.token) return;
      const moved = parseTokenAmount(call.data);
      if (moved === undefined)
        throw policyForbidden(
          `call ${index} to the token ${call.target}, which has a limit, is no canonical transfer, transferFrom, approve or increaseAllowance`,
          { path: toCallFields(call, index).data, message: 'is not allowed for a token with a limit' },
        );
      amount += moved;
    });
    if (amount > limit.maxAmount)
      throw policyForbidden(
        `the calls move or approve ${amount} of the token ${limit.token}, and an operation may ${limit.maxAmount}`,
      );
  }
}

const selectorOf = (data: AccountCall['data']): string => slice(data, 0, SELECTOR_BYTES).toLowerCase();

const describeData = ({ data }: AccountCall): string =>
  size(data) === 0 ? 'no data' : `the selector ${slice(data, 0, Math.min(SELECTOR_BYTES, size(data)))}`;
