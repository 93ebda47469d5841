import { z } from 'zod';
import { dryRunAmount, dryRunCaps, dryRunHead } from '../user-operations/dry-run.dto.js';

/** What a Solana transaction that was not submitted would take. Lamports are decimal text. */
export const solanaTransactionDryRun = z
  .object({
    ...dryRunHead,
    network: z.enum(['SOL', 'SOL_DEVNET']),
    fee: dryRunAmount.meta({ description: 'The fee in lamports, whoever pays' }),
    maxAccountCost: dryRunAmount.meta({
      description:
        'Lamports that the instructions may take from the account at most, with the fee if it pays that',
    }),
    caps: dryRunCaps,
  })
  .meta({ id: 'SolanaTransactionDryRun' });
export type SolanaTransactionDryRun = z.infer<typeof solanaTransactionDryRun>;
