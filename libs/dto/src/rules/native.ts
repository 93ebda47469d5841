import { z } from 'zod';
import { inOrder, sharedFields } from './rule-fields.js';

/** Holds between minToken and maxToken of the chain's own coin. */
export const nativeRule = z.object({ type: z.literal('NATIVE'), ...sharedFields }).check(inOrder);
export type NativeRule = z.output<typeof nativeRule>;
