import { createConfigClass, envJson } from '@app/config';
import { createEvmAddress, isSolanaChain, solanaAddress } from '@app/dto';
import { z } from 'zod';
import { MAX_WELL_KNOWN_TOKENS } from './list-well-known-tokens.js';

/** Bounds the reads of each linked wallet. */
const MAX_WATCHED_TOKENS = 100;

const watchedToken = z
  .strictObject({
    chainId: z.int().positive(),
    contractAddress: z.string(),
    cashtag: z.string().min(1).max(64).optional(),
  })
  .transform((token, context) => {
    const schema = isSolanaChain(token.chainId) ? solanaAddress : createEvmAddress(token.chainId);
    const { success, data, error } = schema.safeParse(token.contractAddress);
    for (const { message } of error?.issues ?? [])
      context.addIssue({ code: 'custom', path: ['contractAddress'], message });
    if (isSolanaChain(token.chainId) && token.cashtag === undefined)
      context.addIssue({
        code: 'custom',
        path: ['cashtag'],
        message: 'is required for a mint, which has no symbol',
      });
    return success ? { ...token, contractAddress: data } : z.NEVER;
  });

export interface WatchedToken {
  readonly chainId: number;
  /** An EVM address in lower case, or a mint. */
  readonly contractAddress: string;
  /** Name in responses; the symbol of the contract when absent. */
  readonly cashtag?: string | undefined;
}

const watchedTokensConfigSchema = z.object({
  WATCHED_TOKENS: envJson(z.array(watchedToken).max(MAX_WATCHED_TOKENS))
    .optional()
    .meta({
      description: `ERC-20 tokens and Solana mints whose balances, with the native coins of their chains, are returned for a linked wallet and for an asset list without assets. \`cashtag\` is by default the symbol of the contract; a mint needs one. Without this variable at most ${MAX_WELL_KNOWN_TOKENS} well-known tokens of each chain with a node URL are returned, with its coin.`,
      format: `JSON: \`[{ "chainId", "contractAddress", "cashtag" }]\`, at most ${MAX_WATCHED_TOKENS}`,
    }),
});

export class WatchedTokensConfig extends createConfigClass(watchedTokensConfigSchema) {}
