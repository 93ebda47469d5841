import { z } from 'zod';
import { evmAddress } from './evm-address.js';
import { evmChainId, sharedRuleFields } from './rule-fields.js';

/** Requires an owner of a Safe. `minToken` and `maxToken` are read and ignored (contract.md section 8). */
export const safeRule = z.object({
  type: z.literal('gnosis'),
  ...sharedRuleFields,
  chainId: evmChainId,
  /** The Safe. */
  contractAddress: evmAddress,
});
export type SafeRule = z.output<typeof safeRule>;
