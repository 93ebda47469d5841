import { serviceUnavailable } from '@app/common';

const RETRY_AFTER_SECONDS = 2;

export const keyVaultUnavailable = (cause: unknown) =>
  serviceUnavailable(
    'key_vault_unavailable',
    'The keys of accounts cannot be used at the moment.',
    { retryAfter: RETRY_AFTER_SECONDS },
    { cause },
  );
