import { z } from 'zod';
import { checkThresholdOrder, sharedRuleFields } from './rule-fields.js';

/** Requires between minToken and maxToken of the chain's native coin. */
export const nativeRule = z
  .object({ type: z.literal('NATIVE'), ...sharedRuleFields })
  .check(checkThresholdOrder);
export type NativeRule = z.output<typeof nativeRule>;
