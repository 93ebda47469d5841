import { z } from 'zod';
import { checkThresholdOrder, sharedRuleFields } from './rule-fields.js';
import { solanaAddress } from './solana-address.js';
import { isSolanaChain, SOLANA_CLUSTERS } from './solana-clusters.js';

const chainId = sharedRuleFields.chainId.refine(
  isSolanaChain,
  `must be a Solana cluster: ${SOLANA_CLUSTERS.map(({ id, name }) => `${id} (${name})`).join(', ')}`,
);

/** Requires between minToken and maxToken of a token of either token program, in whole tokens. */
export const solanaFtRule = z
  .object({
    type: z.literal('SOLANA_FT'),
    ...sharedRuleFields,
    chainId,
    /** The mint. */
    contractAddress: solanaAddress,
  })
  .check(checkThresholdOrder);
export type SolanaFtRule = z.output<typeof solanaFtRule>;
