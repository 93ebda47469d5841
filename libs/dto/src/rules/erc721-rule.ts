import { z } from 'zod';
import { delegationFields } from './delegation-fields.js';
import { evmAddress } from './evm-address.js';
import { metadataFields } from './metadata-condition.js';
import { checkWholeThresholds, checkThresholdOrder, evmChainId, sharedRuleFields } from './rule-fields.js';
import { tokenIdSource } from './token-ids.js';

/** Requires between minToken and maxToken tokens of an ERC-721 contract, among the ids of `tokenId` if given. */
export const erc721Rule = z
  .object({
    type: z.literal('ERC721'),
    ...sharedRuleFields,
    ...metadataFields,
    ...delegationFields,
    chainId: evmChainId,
    contractAddress: evmAddress,
    tokenId: tokenIdSource.optional(),
  })
  .check(checkThresholdOrder, checkWholeThresholds);
export type Erc721Rule = z.output<typeof erc721Rule>;
