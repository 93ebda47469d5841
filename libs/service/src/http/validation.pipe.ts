import { StandardSchemaValidationPipe } from '@nestjs/common';
import type { z } from 'zod';
import { invalidInput } from './schema-issues.js';

/** Validates `@Body({ schema })`, `@Query({ schema })` and `@Param(…, { schema })`. All our schemas are zod's. */
export const createValidationPipe = (): StandardSchemaValidationPipe =>
  new StandardSchemaValidationPipe({
    exceptionFactory: (issues) => invalidInput(issues as readonly z.core.$ZodIssue[]),
  });
