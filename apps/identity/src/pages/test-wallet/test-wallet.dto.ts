import { z } from 'zod';

export const signingRequest = z.strictObject({
  address: z.string().max(42),
  /** The message as 0x-prefixed hex, as in `personal_sign`. */
  message: z
    .string()
    .max(16_384)
    .regex(/^0x(?:[0-9a-f]{2})+$/),
});
export type SigningRequest = z.output<typeof signingRequest>;

/** An account that the test wallet can sign with. */
export interface TestAccount {
  name: string;
  chainId: number;
  address: string;
}
