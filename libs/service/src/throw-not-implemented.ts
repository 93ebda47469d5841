import { notImplemented } from '@app/common';

/** The answer of an operation that stands in the contract and does not work yet: 501 in the envelope. */
export function throwNotImplemented(): never {
  throw notImplemented(
    'operation_not_supported',
    'This operation is part of the contract and is not available yet.',
  );
}
