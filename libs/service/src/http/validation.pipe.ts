import { type ArgumentMetadata, StandardSchemaValidationPipe } from '@nestjs/common';
import type { z } from 'zod';
import { type FieldAliases, FieldAliasReader } from './field-aliases.js';
import { badRequest, type AppError, toInputIssues } from '@app/common';

export function invalidInput(zodIssues: readonly z.core.$ZodIssue[]): AppError {
  const issues = toInputIssues(zodIssues);
  const [first] = issues;
  const summary = first
    ? `${first.path === '' ? 'The body' : first.path}: ${first.message}`
    : 'The request is not valid';
  return badRequest('input_invalid', summary, { issues });
}

const OPTIONS = {
  exceptionFactory: (issues: readonly unknown[]) => invalidInput(issues as readonly z.core.$ZodIssue[]),
};

class AliasReadingPipe extends StandardSchemaValidationPipe {
  private readonly reader: FieldAliasReader;

  constructor(aliases: FieldAliases) {
    super(OPTIONS);
    this.reader = new FieldAliasReader(aliases);
  }

  override transform<T>(value: T, metadata: ArgumentMetadata): Promise<T> {
    const { type, schema } = metadata;
    const read = type === 'body' && schema ? this.reader.read(schema as z.ZodType, value) : value;
    return super.transform(read as T, metadata);
  }
}

/**
 * Validates `@Body({ schema })`, `@Query({ schema })` and `@Param(…, { schema })` with zod schemas.
 * @param aliases other spellings of values in bodies
 */
export const createValidationPipe = (aliases: FieldAliases = {}): StandardSchemaValidationPipe =>
  Object.keys(aliases).length === 0
    ? new StandardSchemaValidationPipe(OPTIONS)
    : new AliasReadingPipe(aliases);
