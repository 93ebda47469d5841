import { getAddress, isAddress } from 'viem/utils';
import { z } from 'zod';

const MAX_DATA_BYTES = 4_096;
const MAX_GAS = 10_000_000n;

const data = z
  .templateLiteral(['0x', z.string().regex(/^(?:[0-9a-fA-F]{2})*$/)])
  .refine((hex) => hex.length <= 2 + 2 * MAX_DATA_BYTES, `must not exceed ${MAX_DATA_BYTES} bytes`);
const quantity = z
  .string()
  .regex(/^0x(?:0|[1-9a-fA-F][0-9a-fA-F]*)$/, 'must be a quantity in hex')
  .max(18)
  .transform(BigInt);
const gas = quantity.refine((amount) => amount <= MAX_GAS, `must not exceed ${MAX_GAS}`);

/** What a paymaster service answers for EntryPoint 0.7 and 0.8 (ERC-7677), as far as it is used. */
export const paymasterStub = z.object({
  paymaster: z
    .string()
    .refine((text) => isAddress(text))
    .transform((text) => getAddress(text)),
  paymasterData: data,
  paymasterVerificationGasLimit: gas.nullish(),
  paymasterPostOpGasLimit: gas.nullish(),
});
export type PaymasterStub = z.output<typeof paymasterStub>;

export const paymasterData = paymasterStub.extend({
  /**
   * When the data expires, in seconds since 1970. The field is not part of ERC-7677 and is only used to refuse data
   * that expires too soon.
   */
  validUntil: z.union([z.int().nonnegative(), quantity.transform(Number)]).nullish(),
});
export type PaymasterData = z.output<typeof paymasterData>;
