import { z } from 'zod';
import { solanaQuery } from './platform.dto.js';

export const serializedTransaction = z
  .strictObject({ serializedTransactionBase64: z.base64() })
  .meta({ id: 'SolanaSerializedTransaction', example: { serializedTransactionBase64: 'AAAA' } });

export const submitTransactionResponse = z
  .object({ txSignature: z.string() })
  .meta({ id: 'SolanaTransactionSubmitResponse' });

export const transactionQuery = solanaQuery.extend({
  txSignatureBase64: z
    .base64()
    .meta({ description: 'Transaction signature as base64 text', example: 'AAAA' }),
});

export const transactionResponse = z
  .object({ response: z.looseObject({}) })
  .meta({ id: 'SolanaTransactionResponse' });
