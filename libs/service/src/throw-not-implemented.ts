import { notImplemented } from '@app/common';

/** The answer of an operation that stands in the contract and does not work yet: 501 in the envelope. */
export function throwNotImplemented(): never {
  throw notImplemented('not_built_yet', 'This operation is part of the contract and is not available yet.');
}
