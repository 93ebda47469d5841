import { notFound, serviceUnavailable, RETRY_AFTER_SECONDS } from '@app/common';

export const keyVaultUnavailable = (cause: unknown) =>
  serviceUnavailable(
    'key_vault_unavailable',
    'The keys of accounts cannot be used at the moment.',
    { retryAfter: RETRY_AFTER_SECONDS.progress },
    { cause },
  );

/** The answer, too, when the action was removed from the list while it ran: the signer looks again. */
export const actionNotFound = () =>
  notFound('action_not_found', 'The client application has no custom action with this CID.');
