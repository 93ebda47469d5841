import { readPerChain } from '@app/chain/evm';
import { loadConfig } from '@app/config';
import { z } from 'zod';

/** 500 gwei in wei. */
const DEFAULT_MAX_FEE_PER_GAS = 500_000_000_000n;

export const wei = z
  .string()
  .regex(/^\d{1,30}$/, 'must be an amount of wei in decimal digits')
  .transform(BigInt);

export const feeCeilingsConfigSchema = z.object({
  'MAX_FEE_PER_GAS_<chainId>': wei.optional().meta({
    description:
      'The highest fee for one unit of gas on a chain, tip included: user operations are refused above it (503 `fees_too_high`), and transactions of executors wait.',
    format: 'wei in decimal digits',
    fallback: `\`${DEFAULT_MAX_FEE_PER_GAS}\` (500 gwei)`,
  }),
});

/** Says the ceiling of a chain, in wei. */
export type FeeCeilings = (chainId: number) => bigint;

/** Ceilings of user operations and of transactions of executors, which who sends and the signer process read alike. */
export function loadFeeCeilings(): FeeCeilings {
  const byChain = loadConfig(readPerChain('MAX_FEE_PER_GAS', wei));
  return (chainId) => byChain.get(chainId) ?? DEFAULT_MAX_FEE_PER_GAS;
}
