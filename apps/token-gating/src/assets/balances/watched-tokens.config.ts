import { createConfigClass, envJson } from '@app/config';
import { evmAddress } from '@app/dto';
import { z } from 'zod';

/** Bounds the reads of each linked wallet. */
const MAX_WATCHED_TOKENS = 100;

const watchedToken = z.strictObject({
  chainId: z.int().positive(),
  contractAddress: evmAddress,
  /** Name in responses; the symbol of the contract when absent. */
  cashtag: z.string().min(1).max(64).optional(),
});
export type WatchedToken = z.infer<typeof watchedToken>;

export const watchedTokensConfigSchema = z.object({
  WATCHED_TOKENS: envJson(z.array(watchedToken).max(MAX_WATCHED_TOKENS))
    .default([])
    .meta({
      description:
        'ERC-20 tokens whose balances, with the native coins of their chains, are returned for a linked wallet. `cashtag` is by default the symbol of the contract.',
      format: `JSON: \`[{ "chainId", "contractAddress", "cashtag" }]\`, at most ${MAX_WATCHED_TOKENS}`,
    }),
});

export class WatchedTokensConfig extends createConfigClass(watchedTokensConfigSchema) {}
