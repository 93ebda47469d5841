import { type AppError, badRequest, forbidden } from '@app/common';

/** Field of the request that holds the transaction. */
const TRANSACTION_FIELD = 'serializedTransactionBase64';

export const solanaTransactionInvalid = (problem: string): AppError =>
  badRequest('solana_transaction_invalid', `${TRANSACTION_FIELD}: ${problem}`, {
    issues: [{ path: TRANSACTION_FIELD, message: problem }],
  });

export const solanaPolicyForbidden = (reason: string): AppError =>
  forbidden('policy_forbidden', `The transaction is not allowed: ${reason}.`);
