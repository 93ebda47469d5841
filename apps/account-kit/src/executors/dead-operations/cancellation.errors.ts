import { conflict, notFound } from '@app/common';

export const operationNotFound = () => notFound('operation_not_found', 'There is no such operation.');

export const operationConflict = (state: string) =>
  conflict(
    'operation_conflict',
    `The operation is ${state}: only one that is signed, stuck or expired can be cancelled, and with a bundler one that is submitted.`,
  );
