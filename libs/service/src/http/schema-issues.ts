import { badRequest, type AppError, toInputIssues } from '@app/common';
import type { z } from 'zod';

/** The 400 of a request that its schema refuses. */
export function invalidInput(issues: readonly z.core.$ZodIssue[]): AppError {
  const found = toInputIssues(issues);
  const [first] = found;
  const summary = first
    ? `${first.path === '' ? 'The body' : first.path}: ${first.message}`
    : 'The request is not valid';
  return badRequest('invalid_input', summary, { issues: found });
}
