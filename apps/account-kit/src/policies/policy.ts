import { isAddress } from 'viem/utils';
import { z } from 'zod';

const MAX_RULES = 1_000;
const MAX_SELECTORS = 100;

const address = z
  .string()
  .refine((text) => isAddress(text), 'must be an address; one in mixed case must have its checksum')
  .transform((text) => text.toLowerCase());
const amount = z
  .string()
  .regex(/^(0|[1-9]\d{0,77})$/, 'must be a decimal number without sign or leading zeros')
  .transform(BigInt);
const chainId = z.int().positive();

const callRule = z.strictObject({
  chainId,
  target: z.union([z.literal('any'), address]),
  /** `0x` stands for a call without data. Absent: every function. */
  selectors: z
    .array(z.string().regex(/^0x([0-9a-f]{8})?$/, 'must be `0x` or 4 bytes of lower-case hex'))
    .min(1)
    .max(MAX_SELECTORS)
    .optional(),
});

const tokenLimit = z.strictObject({ chainId, token: address, maxAmount: amount });

/** What smart accounts may do for a client application. What it does not name is refused. */
export const policySchema = z
  .strictObject({
    calls: z.array(callRule).max(MAX_RULES).default([]),
    /** Wei that the calls of one operation may send together. */
    maxValue: amount.default(0n),
    /** Of a token with a limit, an operation moves and approves at most this amount. */
    tokens: z.array(tokenLimit).max(MAX_RULES).default([]),
    mintChains: z.array(chainId).max(MAX_RULES).default([]),
    /** A sponsor pays for operations on these chains, where they have a paymaster. */
    sponsoredChains: z.array(chainId).max(MAX_RULES).default([]),
    solanaNetworks: z.array(z.enum(['SOL', 'SOL_DEVNET'])).default([]),
  })
  .superRefine(({ tokens }, context) => {
    const known = new Set<string>();
    tokens.forEach(({ chainId: chain, token }, index) => {
      const key = `${chain}:${token}`;
      if (known.has(key))
        context.addIssue({ code: 'custom', path: ['tokens', index], message: 'is there twice' });
      known.add(key);
    });
  });

export type Policy = Readonly<z.output<typeof policySchema>>;
