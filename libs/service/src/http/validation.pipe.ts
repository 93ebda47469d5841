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

/** Validates bodies: for Nest's pipe, and for direct routes, which have none. */
export class BodyValidator {
  private readonly aliases: FieldAliasReader | undefined;

  /** @param aliases other spellings of values in bodies */
  constructor(aliases: FieldAliases = {}) {
    if (Object.keys(aliases).length > 0) this.aliases = new FieldAliasReader(aliases);
  }

  get readsAliases(): boolean {
    return this.aliases !== undefined;
  }

  /** The body with the document's values instead of other spellings. */
  readAliases(schema: z.ZodType, body: unknown): unknown {
    return this.aliases ? this.aliases.read(schema, body) : body;
  }

  /** @throws AppError 400 */
  validate<S extends z.ZodType>(schema: S, body: unknown): z.output<S> {
    return parseInput(schema, this.readAliases(schema, body));
  }
}

/** @throws AppError 400 */
export function parseInput<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const { success, data, error } = schema.safeParse(input);
  if (!success) throw invalidInput(error.issues);
  return data;
}

class AliasReadingPipe extends StandardSchemaValidationPipe {
  constructor(private readonly validator: BodyValidator) {
    super(OPTIONS);
  }

  override transform<T>(value: T, metadata: ArgumentMetadata): Promise<T> {
    const { type, schema } = metadata;
    const read = type === 'body' && schema ? this.validator.readAliases(schema as z.ZodType, value) : value;
    return super.transform(read as T, metadata);
  }
}

/** Validates `@Body({ schema })`, `@Query({ schema })` and `@Param(…, { schema })` with zod schemas. */
export const createValidationPipe = (validator = new BodyValidator()): StandardSchemaValidationPipe =>
  validator.readsAliases ? new AliasReadingPipe(validator) : new StandardSchemaValidationPipe(OPTIONS);
