import { methodNotAllowed, notFound } from '@app/common';

export const pathNotFound = () => notFound('path_not_found', 'There is nothing at this path.');

export const pathMethodNotAllowed = (allow: string[]) =>
  methodNotAllowed('method_not_supported', `This path supports ${allow.join(', ')}.`, { allow });
