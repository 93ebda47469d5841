import { EXAMPLES } from '@app/dto';
import { z } from 'zod';
import { solanaTransactionDryRun } from '../solana/solana-dry-run.dto.js';
import { dryRunField } from '../user-operations/dry-run.dto.js';
import { solanaQuery } from './platform.dto.js';

/** 64 bytes in base58 or in base64. */
const SIGNATURE = /^([1-9A-HJ-NP-Za-km-z]{64,88}|[A-Za-z0-9+/]{86}==)$/;

export const serializedTransaction = z
  .strictObject({ serializedTransactionBase64: z.base64(), dryRun: dryRunField })
  .meta({
    id: 'SolanaSerializedTransaction',
    example: { serializedTransactionBase64: EXAMPLES.solanaTransaction },
  });

export type SerializedTransaction = z.infer<typeof serializedTransaction>;

const submitTransactionResponse = z
  .object({ txSignature: z.string() })
  .meta({ id: 'SolanaTransactionSubmitResponse' });

export const transactionOutcome = z.union([submitTransactionResponse, solanaTransactionDryRun]);

export type TransactionOutcome = z.infer<typeof transactionOutcome>;

export const solanaSponsorList = z
  .object({
    items: z.array(
      z.object({
        network: z.enum(['SOL', 'SOL_DEVNET']),
        address: z.string().meta({ description: 'The fee payer to name, in base58' }),
        maxFeeLamports: z
          .int()
          .meta({ description: 'The highest fee that the sponsor pays for a transaction, in lamports' }),
      }),
    ),
  })
  .meta({ id: 'SolanaSponsorList' });
export type SolanaSponsorList = z.infer<typeof solanaSponsorList>;

export const transactionQuery = solanaQuery.extend({
  txSignatureBase64: z
    .string()
    .regex(SIGNATURE, 'must be the signature of a transaction in base58 or base64')
    .meta({
      description: 'Transaction signature as base58 or base64 text',
      example: EXAMPLES.solanaSignature,
    }),
});

export type TransactionQuery = z.infer<typeof transactionQuery>;

export const transactionResponse = z
  .object({ response: z.looseObject({}) })
  .meta({ id: 'SolanaTransactionResponse' });
export type TransactionResponse = z.infer<typeof transactionResponse>;
