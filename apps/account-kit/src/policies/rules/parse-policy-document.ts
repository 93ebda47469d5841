import type { PolicyIssue } from '@app/dto';
import { z } from 'zod';
import { type Policy, policySchema } from './policy.js';

/** A document that is no policy; the message names its fields. */
export class InvalidPolicyError extends Error {
  override readonly name = 'InvalidPolicyError';

  /** @param issues empty for what is no JSON */
  constructor(
    message: string,
    readonly issues: readonly PolicyIssue[] = [],
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Parses a policy that an operator wrote. @throws InvalidPolicyError */
export function parsePolicyDocument(document: string): Policy {
  const { success, data, error } = policySchema.safeParse(parseJson(document));
  if (!success) {
    const issues = error.issues.map(({ path, message }) => ({
      path: path.map((part) => (typeof part === 'symbol' ? String(part) : part)),
      message,
    }));
    throw new InvalidPolicyError(`The policy is invalid:\n${z.prettifyError(error)}`, issues);
  }
  return data;
}

function parseJson(document: string): unknown {
  try {
    return JSON.parse(document);
  } catch (error) {
    throw new InvalidPolicyError('The policy is no JSON', [], { cause: error });
  }
}
