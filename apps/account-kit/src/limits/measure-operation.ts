import type { AccountCall } from '../evm/operations/encode-execute.js';
import { parseTokenAmount } from '../evm/operations/parse-token-amount.js';
import type { Cap, CappedUse } from './cap.js';

/** A user operation as caps see it. */
export interface MeasuredOperation {
  readonly chainId: number;
  readonly isMint: boolean;
  readonly calls: readonly AccountCall[];
  /** The most that its gas can cost, in wei. */
  readonly maxGasCost: bigint;
}

/**
 * What an operation may use of each cap. Caps of which it uses nothing are left out.
 * @throws RangeError for a call to a capped token whose amount is unknown; the policy refuses it before
 */
export function measureOperation(caps: readonly Cap[], operation: MeasuredOperation): CappedUse[] {
  return caps
    .map((cap) => ({ cap, amount: measure(cap, operation) }))
    .filter(({ amount }) => amount > 0n)
    .map((use) => ({ ...use, ifReverted: use.cap.of === 'gas' ? use.amount : 0n }));
}

function measure(cap: Cap, { chainId, isMint, calls, maxGasCost }: MeasuredOperation): bigint {
  if (!('chainId' in cap) || cap.chainId !== chainId) return 0n;
  switch (cap.of) {
    case 'gas':
      return maxGasCost;
    case 'value':
      return calls.reduce((sum, { value }) => sum + value, 0n);
    case 'token':
      return sumTokenAmounts(cap.token, calls);
    case 'mints':
      return isMint ? 1n : 0n;
  }
}

/** Units of an ERC-20 token that calls move or approve together. @param token in lower case */
function sumTokenAmounts(token: string, calls: readonly AccountCall[]): bigint {
  return calls
    .filter(({ target }) => target.toLowerCase() === token)
    .reduce((sum, { data }) => {
      const amount = parseTokenAmount(data);
      if (amount === undefined) throw new RangeError(`a call to the token ${token} has no known amount`);
      return sum + amount;
    }, 0n);
}
