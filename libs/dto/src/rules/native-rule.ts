import { z } from 'zod';
import { checkThresholdOrder, sharedRuleFields } from './rule-fields.js';

/** Holds between minToken and maxToken of the chain's own coin. */
export const nativeRule = z
  .object({ type: z.literal('NATIVE'), ...sharedRuleFields })
  .check(checkThresholdOrder);
export type NativeRule = z.output<typeof nativeRule>;
