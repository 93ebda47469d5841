import { z } from 'zod';
import { checkThresholdOrder, sharedRuleFields, solanaChainId } from './rule-fields.js';
import { solanaAddress } from './solana.js';

/** Requires between minToken and maxToken of a token of either token program, in whole tokens. */
export const solanaFtRule = z
  .object({
    type: z.literal('SOLANA_FT'),
    ...sharedRuleFields,
    chainId: solanaChainId,
    /** The mint. */
    contractAddress: solanaAddress,
  })
  .check(checkThresholdOrder);
export type SolanaFtRule = z.output<typeof solanaFtRule>;
