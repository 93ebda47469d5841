import { StandardSchemaValidationPipe } from '@nestjs/common';
import type { z } from 'zod';
import { badRequest, type AppError, toInputIssues } from '@app/common';

/** The 400 of a request that its schema refuses. */
export function invalidInput(issues: readonly z.core.$ZodIssue[]): AppError {
  const found = toInputIssues(issues);
  const [first] = found;
  const summary = first
    ? `${first.path === '' ? 'The body' : first.path}: ${first.message}`
    : 'The request is not valid';
  return badRequest('input_invalid', summary, { issues: found });
}

/** Validates `@Body({ schema })`, `@Query({ schema })` and `@Param(…, { schema })`. All our schemas are zod's. */
export const createValidationPipe = (): StandardSchemaValidationPipe =>
  new StandardSchemaValidationPipe({
    exceptionFactory: (issues) => invalidInput(issues as readonly z.core.$ZodIssue[]),
  });
