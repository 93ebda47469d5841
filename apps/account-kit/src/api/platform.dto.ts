import { EXAMPLES } from '@app/dto';
import { z } from 'zod';
import { platform } from '../owners/platform-user.js';

export const platformQuery = z.object({ platform: platform.meta({ example: 'chat' }) });
export type PlatformQuery = z.infer<typeof platformQuery>;

const evmChainId = z
  .string()
  .regex(/^[1-9]\d{0,15}$/, 'must be an EVM chain id')
  .transform(Number)
  .pipe(z.int())
  .meta({ description: 'EVM chain id', documentAs: { type: 'number' }, example: EXAMPLES.chainId });

export const chainQuery = z.object({ chainId: evmChainId });
export type ChainQuery = z.infer<typeof chainQuery>;

export const platformChainQuery = platformQuery.extend(chainQuery.shape);
export type PlatformChainQuery = z.infer<typeof platformChainQuery>;

export const solanaQuery = z.object({
  network: z.enum(['SOL', 'SOL_DEVNET']).meta({ description: 'Solana network', example: 'SOL_DEVNET' }),
});
export type SolanaQuery = z.infer<typeof solanaQuery>;

export const platformSolanaQuery = platformQuery.extend(solanaQuery.shape);
export type PlatformSolanaQuery = z.infer<typeof platformSolanaQuery>;
