import { EXAMPLES } from '@app/dto';
import { Operation } from '@app/service';
import { ApiHeader } from '@nestjs/swagger';
import {
  SUBMISSION_CONFLICTS,
  SUBMISSION_DESCRIPTION,
  SUBMISSION_ERRORS,
  TRANSACTION_CONFLICTS,
  TRANSACTION_DESCRIPTION,
  TRANSACTION_SUBMISSION_ERRORS,
} from './account-kit.descriptions.js';

type Options = Omit<Parameters<typeof Operation>[0], 'caller' | 'scope'>;

/** An operation of account-kit: client applications with the scope call it. */
export const AccountKitOperation = (options: Options) =>
  Operation({ caller: 'client', scope: 'accountkit', ...options });

/** Documents a submission of user operations. */
export const UserOperationSubmission = (summary: string) =>
  AccountKitOperation({
    summary,
    description: SUBMISSION_DESCRIPTION,
    conflicts: SUBMISSION_CONFLICTS,
    errors: SUBMISSION_ERRORS,
  });

/** Documents a submission of a Solana transaction. */
export const SolanaSubmission = (summary: string) =>
  AccountKitOperation({
    summary,
    description: TRANSACTION_DESCRIPTION,
    conflicts: TRANSACTION_CONFLICTS,
    errors: TRANSACTION_SUBMISSION_ERRORS,
    example: { status: 400, reason: 'it holds no transaction' },
  });

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
