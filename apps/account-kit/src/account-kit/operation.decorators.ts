import { Operation } from '@app/service';
import { ApiHeader } from '@nestjs/swagger';
import {
  SUBMISSION_CONFLICTS,
  SUBMISSION_ERRORS,
  SUBMISSION_DESCRIPTION,
  TRANSACTION_CONFLICTS,
  TRANSACTION_DESCRIPTION,
  TRANSACTION_SUBMISSION_ERRORS,
} from './account-kit.descriptions.js';

/** Who may call the operations of account-kit. */
export const access = { caller: 'client', scope: 'accountkit' } as const;

export const BotTokenHeader = () =>
  ApiHeader({
    name: 'X-BOT-TOKEN',
    required: true,
    description: 'Bot token of the chat platform',
    example: 'bot-token',
  });

export const AccessTokenHeader = () =>
  ApiHeader({
    name: 'X-ACCESS-TOKEN',
    required: true,
    description: 'Bot token or OAuth 2.0 access token of the platform',
    example: 'access-token',
  });

export const submission = (summary: string) =>
  Operation({
    ...access,
    summary,
    description: SUBMISSION_DESCRIPTION,
    conflicts: SUBMISSION_CONFLICTS,
    errors: SUBMISSION_ERRORS,
  });

export const solanaSubmission = (summary: string) =>
  Operation({
    ...access,
    summary,
    description: TRANSACTION_DESCRIPTION,
    conflicts: TRANSACTION_CONFLICTS,
    errors: TRANSACTION_SUBMISSION_ERRORS,
    example: { status: 400, reason: 'it holds no transaction' },
  });
