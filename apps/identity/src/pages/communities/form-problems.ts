import { AppError } from '@app/common';
import { z } from 'zod';

/** The status of a page that shows a refused form again. */
export const REFUSED_FORM_STATUS = 422;

const issues = z.array(z.object({ path: z.string(), message: z.string() }));

/**
 * The problems of a form that an operation has refused, by field: those of a field that the form has beside that field, all others beside
 * the form's main field. @throws the error itself where the form cannot be corrected
 */
export function toFormProblems(
  error: unknown,
  mainField: string,
  fields: readonly string[] = [mainField],
): Record<string, string> {
  if (!(error instanceof AppError) || ![400, 409, 429].includes(error.statusCode)) throw error;
  const found = issues.safeParse(error.details['issues']).data ?? [];
  const named = found.filter(({ path }) => fields.includes(path));
  if (named.length === 0) return { [mainField]: error.message };
  return Object.fromEntries(named.map(({ path, message }) => [path, `This ${message}.`]));
}
