import { z } from 'zod';
import {
  capSchema,
  policyAddress as address,
  policyAmount as amount,
  policyChainId as chainId,
  policySolanaAddress as solanaAddress,
  policyNetwork as network,
  toCapKey,
} from '../../limits/cap.js';

const MAX_RULES = 1_000;
const MAX_SELECTORS = 100;
const MAX_CAPS = 100;

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

const solanaTokenLimit = z.strictObject({ network, mint: solanaAddress, maxAmount: amount });

const tokenLimit = z.strictObject({ chainId, token: address, maxAmount: amount });

/** What smart accounts may do for a client application. What it does not name is refused. */
export const policySchema = z
  .strictObject({
    calls: z.array(callRule).max(MAX_RULES).default([]),
    /** Wei that the calls of one operation may send together. */
    maxValue: amount.default(0n),
    /** Wei that the gas of one operation may cost, also when a sponsor pays; absent: any. */
    maxGasCost: amount.optional(),
    /** Tokens with limits: an operation moves and approves at most the amount of each. */
    tokens: z.array(tokenLimit).max(MAX_RULES).default([]),
    mintChains: z.array(chainId).max(MAX_RULES).default([]),
    /** A sponsor pays for operations on these chains, where they have a paymaster. */
    sponsoredChains: z.array(chainId).max(MAX_RULES).default([]),
    /** Refuses operations and transactions without the header `Idempotency-Key`. */
    requiresIdempotencyKey: z.boolean().default(false),
    solanaNetworks: z.array(network).default([]),
    /** A sponsor pays the fees of transactions that name it on these networks, where the deployment has one. */
    sponsoredNetworks: z.array(network).default([]),
    /** Lamports that one transaction may take from the account, with the fee that it pays; absent: any. */
    maxLamports: amount.optional(),
    /** Tokens of Solana that one transaction may move and approve, and how much of them; absent: any. */
    solanaTokens: z.array(solanaTokenLimit).max(MAX_RULES).optional(),
    /** Programs whose instructions are not decoded; absent: those of the deployment, unless limits would not see what they take. */
    solanaPrograms: z.array(solanaAddress).max(MAX_RULES).optional(),
    /** Limits for all operations of a day or a month together. */
    caps: z.array(capSchema).max(MAX_CAPS).default([]),
  })
  .superRefine(({ tokens, solanaTokens, caps }, context) => {
    const addRepeated = (field: string, keys: string[]) => {
      keys.forEach((key, index) => {
        if (keys.indexOf(key) < index)
          context.addIssue({ code: 'custom', path: [field, index], message: 'is there twice' });
      });
    };
    addRepeated(
      'tokens',
      tokens.map(({ chainId: chain, token }) => `${chain}:${token}`),
    );
    addRepeated(
      'solanaTokens',
      (solanaTokens ?? []).map(({ network: where, mint }) => `${where}:${mint}`),
    );
    addRepeated('caps', caps.map(toCapKey));
  });

export type Policy = Readonly<z.output<typeof policySchema>>;

/** Limits that are known only when an operation is estimated. */
export type OperationLimits = Pick<Policy, 'caps' | 'maxGasCost'>;
