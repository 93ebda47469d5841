import { scope, type Scope } from '@app/dto';
import { z } from 'zod';

export const countFlag = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, 'must be a whole number above 0')
  .transform(Number);

/** Comma-separated scopes. */
export const scopesFlag = z.string().transform((text, context): Scope[] => {
  const names = [...new Set(text.split(',').filter((name) => name !== ''))];
  const unknown = names.filter((name) => !scope.safeParse(name).success);
  if (unknown.length === 0) return z.array(scope).parse(names);
  const message = `not a scope: ${unknown.join(', ')}; the scopes are ${scope.options.join(', ')}`;
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});
