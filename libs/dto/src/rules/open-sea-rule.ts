import { z } from 'zod';
import { evmAddress } from './evm-address.js';
import { checkThresholdOrder, checkWholeThresholds, sharedRuleFields } from './rule-fields.js';

/** Requires between minToken and maxToken distinct items of a collection, as OpenSea lists them. */
export const openSeaRule = z
  .object({
    type: z.literal('OPEN_SEA'),
    ...sharedRuleFields,
    /** Counts the items on this chain only; those on all chains of the collection when absent. */
    chainId: z.int().optional(),
    /** Counts the items of this contract only; those of all contracts of the collection when absent. */
    contractAddress: evmAddress.optional(),
    /** The slug of the collection. */
    collectionName: z
      .string('is required: the name of the collection in the address of its page at OpenSea')
      .regex(/^[A-Za-z0-9_-]{1,128}$/, 'must be the name of a collection: letters, digits, - and _'),
  })
  .check(checkThresholdOrder, checkWholeThresholds);
export type OpenSeaRule = z.output<typeof openSeaRule>;
