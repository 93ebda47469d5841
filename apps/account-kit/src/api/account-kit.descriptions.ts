import type { ConflictDescriptions, DeclaredError } from '@app/openapi';

const PLATFORM_ERRORS: readonly DeclaredError[] = [
  '401 platform_token_invalid',
  '403 client_required',
  '429 platform_request_limit_exceeded',
  '502 platform_response_invalid',
  '503 platform_not_configured',
  '503 platform_unavailable',
  '503 key_vault_unavailable',
];

export const ADDRESS_ERRORS: readonly DeclaredError[] = PLATFORM_ERRORS;

export const NAMED_ADDRESS_ERRORS: readonly DeclaredError[] = [
  '403 client_required',
  '429 new_account_limit_exceeded',
  '503 key_vault_unavailable',
];

export const RECEIPT_ERRORS: readonly DeclaredError[] = [...PLATFORM_ERRORS, '404 user_operation_not_found'];

export const ACTION_ERRORS: readonly DeclaredError[] = [
  ...PLATFORM_ERRORS,
  '400 action_invalid',
  '400 action_limit_exceeded',
  '400 chain_not_supported',
  '403 frozen',
  '403 platform_token_not_bound',
  '403 platform_application_invalid',
  '404 action_not_found',
  '429 waiting_action_limit_exceeded',
  '503 action_signer_unavailable',
  '503 actions_unavailable',
];

export const CANCELLATION_ERRORS: readonly DeclaredError[] = [
  ...PLATFORM_ERRORS,
  '403 frozen',
  '403 platform_token_not_bound',
  '403 platform_application_invalid',
  '403 policy_forbidden',
  '403 policy_limit_exceeded',
  '404 user_operation_not_found',
  '503 acceptance_timeout',
  '503 chain_unavailable',
  '503 fees_too_high',
  '503 key_vault_unavailable',
  '503 operation_unavailable',
  '503 sponsor_unavailable',
];

const DRY_RUN_DESCRIPTION =
  'With `dryRun: true` in the body nothing is stored, signed or sent: the answer tells what the submission would cost, or why it would ' +
  'be refused, and `account_not_found` before the addresses of the account were read once.';

export const SUBMISSION_DESCRIPTION =
  'Returns at once after signing. Without the header `Idempotency-Key` every request is a new operation. Operations of an ' +
  'account run in the order of their acceptance; the header `X-Nonce-Key` (decimal) opens further lanes. ' +
  DRY_RUN_DESCRIPTION;

export const SUBMISSION_CONFLICTS: ConflictDescriptions = {
  would_revert: 'the call would revert: `details.data` is what it returned',
  account_deploying: 'the first operation of the account, which deploys it, is not included yet',
  account_funds_required: 'the account cannot pay for the operation',
  operation_too_large:
    'the operation does not fit into one transaction: `details` says which limit it exceeds',
  idempotency_key_conflict: 'a different request was made with this idempotency key',
};

export const SUBMISSION_ERRORS: readonly DeclaredError[] = [
  ...PLATFORM_ERRORS,
  '400 chain_not_supported',
  '400 mint_not_supported',
  '400 idempotency_key_required',
  '403 frozen',
  '403 platform_token_not_bound',
  '403 platform_application_invalid',
  '403 policy_forbidden',
  '403 policy_limit_exceeded',
  '404 account_not_found',
  '429 unfinished_operation_limit_exceeded',
  '503 acceptance_timeout',
  '503 bundler_estimate_refused',
  '503 bundler_unavailable',
  '503 chain_unavailable',
  '503 fees_too_high',
  '503 operation_unavailable',
  '503 sponsor_unavailable',
];

export const TRANSACTION_DESCRIPTION =
  'Signs the transaction as it is, without a new blockhash, and returns at once; it is sent again until it is final or has ' +
  'expired. The account pays the fee, or the sponsor of the network (`listSolanaSponsors`) if the transaction names it as fee payer. ' +
  'The same transaction again gets the same answer. ' +
  DRY_RUN_DESCRIPTION;

export const TRANSACTION_CONFLICTS: ConflictDescriptions = {
  would_revert: 'the simulation of the transaction fails',
  account_funds_required: 'the account has less SOL than the transaction takes from it',
  transaction_conflict: 'the same transaction was submitted for another account',
  idempotency_key_conflict: 'a different request was made with this idempotency key',
};

export const TRANSACTION_ERRORS: readonly DeclaredError[] = [
  ...PLATFORM_ERRORS,
  '400 network_not_supported',
  '404 solana_transaction_not_found',
  '503 chain_unavailable',
];

export const TRANSACTION_SUBMISSION_ERRORS: readonly DeclaredError[] = [
  ...PLATFORM_ERRORS,
  '400 idempotency_key_required',
  '400 network_not_supported',
  '400 solana_transaction_invalid',
  '403 frozen',
  '403 platform_token_not_bound',
  '403 platform_application_invalid',
  '403 policy_forbidden',
  '403 policy_limit_exceeded',
  '404 account_not_found',
  '429 unfinished_transaction_limit_exceeded',
  '503 acceptance_timeout',
  '503 chain_unavailable',
  '503 operation_unavailable',
  '503 sponsor_unavailable',
];
