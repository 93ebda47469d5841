import { z } from 'zod';
import { delegationFields } from './delegation-fields.js';
import { evmAddress } from './evm-address.js';
import { metadataFields } from './metadata-condition.js';
import { checkWholeThresholds, checkThresholdOrder, evmChainId, sharedRuleFields } from './rule-fields.js';
import { tokenIdSource } from './token-ids.js';

/** Requires between minToken and maxToken tokens of an ERC-1155 contract, summed over the ids of `tokenId`. */
export const erc1155Rule = z
  .object({
    type: z.literal('ERC1155'),
    ...sharedRuleFields,
    ...metadataFields,
    ...delegationFields,
    chainId: evmChainId,
    contractAddress: evmAddress,
    tokenId: tokenIdSource,
  })
  .check(checkThresholdOrder, checkWholeThresholds);
export type Erc1155Rule = z.output<typeof erc1155Rule>;
