import { createConfigClass, envJson } from '@app/config';
import { evmAddress } from '@app/dto';
import { z } from 'zod';

/** All of them are read for every wallet that is linked. */
const MOST_TOKENS = 100;

const watchedToken = z.strictObject({
  chainId: z.int().positive(),
  contractAddress: evmAddress,
  /** What it is called in answers; what the contract says when absent. */
  cashtag: z.string().min(1).max(64).optional(),
});
export type WatchedToken = z.infer<typeof watchedToken>;

export const watchedTokensConfigSchema = z.object({
  /** ERC-20 tokens whose balances are told of a wallet that is linked; the coins of their chains are, too. */
  WATCHED_TOKENS: envJson(z.array(watchedToken).max(MOST_TOKENS)).default([]),
});

export class WatchedTokensConfig extends createConfigClass(watchedTokensConfigSchema) {}
