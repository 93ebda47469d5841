import { z } from 'zod';
import { evmAddress } from './evm-address.js';
import { checkThresholdOrder, evmChainId, sharedRuleFields } from './rule-fields.js';

/** Requires between minToken and maxToken staked in a contract, in whole tokens. */
export const stakingRule = z
  .object({
    type: z.literal('staking'),
    ...sharedRuleFields,
    chainId: evmChainId,
    contractAddress: evmAddress,
    /** The adapter: how the contract tells what an address has staked. */
    collectionName: z
      .string('is required: erc900, erc4626 or the name of an adapter of the deployment')
      .max(64),
  })
  .check(checkThresholdOrder);
export type StakingRule = z.output<typeof stakingRule>;
