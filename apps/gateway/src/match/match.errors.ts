import { methodNotAllowed, notFound } from '@app/common';

export const noSuchPath = () => notFound('no_such_path', 'There is nothing at this path.');

export const noSuchMethod = (allow: string[]) =>
  methodNotAllowed('method_not_allowed', `This path knows ${allow.join(', ')}.`, { allow });
