import { z } from 'zod';
import { delegationFields } from './delegation-fields.js';
import { evmAddress } from './evm-address.js';
import { checkThresholdOrder, evmChainId, sharedRuleFields } from './rule-fields.js';

/** Requires between minToken and maxToken of an ERC-20 token, in whole tokens. */
export const erc20Rule = z
  .object({
    type: z.literal('ERC20'),
    ...sharedRuleFields,
    ...delegationFields,
    chainId: evmChainId,
    contractAddress: evmAddress,
  })
  .check(checkThresholdOrder);
export type Erc20Rule = z.output<typeof erc20Rule>;
