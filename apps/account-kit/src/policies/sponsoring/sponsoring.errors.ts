import { type AppError, conflict, serviceUnavailable, RETRY_AFTER_SECONDS } from '@app/common';

export const sponsorUnavailable = (cause?: unknown): AppError =>
  serviceUnavailable(
    'sponsor_unavailable',
    'The sponsor cannot pay at the moment.',
    { retryAfter: RETRY_AFTER_SECONDS.refill },
    { cause },
  );

interface MissingFunds {
  readonly required: bigint;
  /** What the account has. */
  readonly funds: bigint;
  /** What unfinished operations of the account may cost. */
  readonly reserved: bigint;
}

export const accountFundsRequired = ({ required, funds, reserved }: MissingFunds) =>
  conflict(
    'account_funds_required',
    'The account cannot pay for this operation beside its unfinished ones: send native tokens to it, or wait for them.',
    {
      requiredWei: String(required),
      availableWei: String(funds > reserved ? funds - reserved : 0n),
      reservedWei: String(reserved),
    },
  );

export const operationUnavailable = () =>
  serviceUnavailable('operation_unavailable', 'The operation could not be signed: try again.', {
    retryAfter: RETRY_AFTER_SECONDS.progress,
  });
