import { z } from 'zod';
import { checkThresholdOrder, checkWholeThresholds, evmChainId, sharedRuleFields } from './rule-fields.js';

/** The contract of all POAPs, at the same address on each of its chains. */
export const POAP_CONTRACT = '0x22c1f6050e56d2876009903609a2cc3fef83b415';

const isPoapContract = (text: string): boolean => ['poap', POAP_CONTRACT].includes(text.toLowerCase());

/** Requires between minToken and maxToken POAPs of an event. */
export const poapRule = z
  .object({
    type: z.literal('POAP'),
    ...sharedRuleFields,
    /** Counts the POAPs on this chain only; those on Gnosis and Ethereum when absent. */
    chainId: evmChainId.optional(),
    contractAddress: z
      .string()
      .refine(isPoapContract, 'must be POAP or the address of the POAP contract, or left out')
      .optional(),
    eventId: z
      .string('is required: the id of the event')
      .regex(/^\d{1,77}$/, 'must be the id of an event: digits')
      .transform(BigInt),
  })
  .check(checkThresholdOrder, checkWholeThresholds);
export type PoapRule = z.output<typeof poapRule>;
