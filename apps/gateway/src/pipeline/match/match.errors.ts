import { methodNotAllowed, notFound } from '@app/common';

export const pathNotFound = () => notFound('no_such_path', 'There is nothing at this path.');

export const pathMethodNotAllowed = (allow: string[]) =>
  methodNotAllowed('method_not_allowed', `This path knows ${allow.join(', ')}.`, { allow });
