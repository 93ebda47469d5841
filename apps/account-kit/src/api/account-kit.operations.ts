import { EXAMPLES } from '@app/dto';
import { Operation, toResponseHeaders } from '@app/service';
import { applyDecorators } from '@nestjs/common';
import { ApiHeader, ApiResponse } from '@nestjs/swagger';
import {
  RECEIPT_ERRORS,
  SUBMISSION_CONFLICTS,
  SUBMISSION_DESCRIPTION,
  SUBMISSION_ERRORS,
  TRANSACTION_CONFLICTS,
  TRANSACTION_DESCRIPTION,
  TRANSACTION_ERRORS,
  TRANSACTION_SUBMISSION_ERRORS,
} from './account-kit.descriptions.js';
import { DEFAULT_WAIT_SECONDS, MAX_WAIT_SECONDS, presentedTokenQuery } from './request.decorators.js';
import { transactionResponse } from './solana.dto.js';
import { userOperationReceipt } from './user-operation.dto.js';

type Options = Omit<Parameters<typeof Operation>[0], 'caller' | 'scope'>;

/** An operation of account-kit: client applications with the scope call it. */
export const AccountKitOperation = (options: Options) =>
  Operation({ caller: 'client', scope: 'accountkit', ...options });

/** Documents a submission of user operations. */
export const UserOperationSubmission = (summary: string, description: string) =>
  AccountKitOperation({
    summary,
    description: `${description} ${SUBMISSION_DESCRIPTION}`,
    conflicts: SUBMISSION_CONFLICTS,
    errors: SUBMISSION_ERRORS,
  });

/** Documents a submission of a Solana transaction. */
export const SolanaSubmission = (summary: string, description: string) =>
  AccountKitOperation({
    summary,
    description: `${description} ${TRANSACTION_DESCRIPTION}`,
    conflicts: TRANSACTION_CONFLICTS,
    errors: TRANSACTION_SUBMISSION_ERRORS,
  });

/** Documents 202, while what is asked for is under way. */
const ReturnsPending = (
  standardSchema: typeof userOperationReceipt | typeof transactionResponse,
  what: string,
) =>
  ApiResponse({
    status: 202,
    description: `${what}: ask again after Retry-After.`,
    standardSchema,
    headers: toResponseHeaders(['Retry-After']),
  });

const WAITING = `for up to ${DEFAULT_WAIT_SECONDS} seconds; the header \`Prefer: wait=N\` (0 to ${MAX_WAIT_SECONDS}) changes that.`;

/** A look-up that waits for an outcome and takes either token. */
const LOOK_UP = { maxWaitSeconds: MAX_WAIT_SECONDS, furtherQuery: presentedTokenQuery };

export const UserOperationReceiptLookUp = () =>
  applyDecorators(
    AccountKitOperation({
      summary: 'Get the receipt of a user operation',
      description:
        `Whether a user operation was included, with the receipt of its transaction. Waits for inclusion ${WAITING} An operation that failed ` +
        'before it was included has `success: false`, `reason` and no receipt.',
      ...LOOK_UP,
      errors: RECEIPT_ERRORS,
    }),
    ReturnsPending(userOperationReceipt, 'The operation is not included yet'),
  );

export const SolanaTransactionLookUp = () =>
  applyDecorators(
    AccountKitOperation({
      summary: 'Get the status of a Solana transaction',
      description:
        `Whether a transaction was confirmed or has expired. Takes the signature in base58 or base64. Waits for confirmation ${WAITING} The response is what a node answers to ` +
        '`getTransaction`.',
      ...LOOK_UP,
      errors: TRANSACTION_ERRORS,
    }),
    ReturnsPending(transactionResponse, 'The transaction is not confirmed yet'),
  );

export const BotTokenHeader = () =>
  ApiHeader({
    name: 'X-BOT-TOKEN',
    required: true,
    description: 'Bot token of the chat platform',
    example: EXAMPLES.botToken,
  });

export const AccessTokenHeader = () =>
  ApiHeader({
    name: 'X-ACCESS-TOKEN',
    required: true,
    description: 'Bot token or OAuth 2.0 access token of the platform',
    example: EXAMPLES.botToken,
  });
