import { StandardSchemaValidationPipe } from '@nestjs/common';
import type { z } from 'zod';
import { badRequest, type AppError, toInputIssues } from '@app/common';

export function invalidInput(zodIssues: readonly z.core.$ZodIssue[]): AppError {
  const issues = toInputIssues(zodIssues);
  const [first] = issues;
  const summary = first
    ? `${first.path === '' ? 'The body' : first.path}: ${first.message}`
    : 'The request is not valid';
  return badRequest('input_invalid', summary, { issues });
}

/** Validates `@Body({ schema })`, `@Query({ schema })` and `@Param(…, { schema })` with zod schemas. */
export const createValidationPipe = (): StandardSchemaValidationPipe =>
  new StandardSchemaValidationPipe({
    exceptionFactory: (issues) => invalidInput(issues as readonly z.core.$ZodIssue[]),
  });
