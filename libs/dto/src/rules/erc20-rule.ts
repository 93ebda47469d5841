import { z } from 'zod';
import { evmAddress } from './evm-address.js';
import { checkThresholdOrder, evmChainId, sharedRuleFields } from './rule-fields.js';

/** Requires between minToken and maxToken of an ERC-20 token, in whole tokens. */
export const erc20Rule = z
  .object({ type: z.literal('ERC20'), ...sharedRuleFields, chainId: evmChainId, contractAddress: evmAddress })
  .check(checkThresholdOrder);
export type Erc20Rule = z.output<typeof erc20Rule>;
