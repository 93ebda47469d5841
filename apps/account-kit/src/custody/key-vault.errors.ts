import { notFound, serviceUnavailable, RETRY_AFTER_SECONDS, type AppError } from '@app/common';

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

/** The signer refuses a row: it is in another state, has another owner, or calls something else than its policy allows. */
export class RefusedToSignError extends Error {
  override readonly name = 'RefusedToSignError';

  constructor(
    message: string,
    /** The answer to the caller. Without an answer the refusal is an error of the service. */
    readonly answer?: AppError,
  ) {
    super(message);
  }
}

/** Reason of a refusal that callers get as 403 `frozen`. */
export const FROZEN = 'operators have frozen it';

/** Reason of a refusal that callers get as 404 `action_not_found`. */
export const NOT_LISTED = 'the custom action is not on the list of the client application';
