import { notImplemented } from '@app/common';

/** For operations of contract.md that are not implemented. @throws AppError 501 */
export function throwNotImplemented(): never {
  throw notImplemented(
    'operation_not_supported',
    'This operation is part of the contract and is not available yet.',
  );
}
