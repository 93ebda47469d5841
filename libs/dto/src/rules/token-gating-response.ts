import { z } from 'zod';
import { tokenGatingExplanation } from './explanation.js';

export const tokenGatingRole = z
  .object({ id: z.string(), granted: z.boolean() })
  .meta({ id: 'TokenGatingRole', description: 'Whether the rules of one role are satisfied.' });
export type TokenGatingRole = z.output<typeof tokenGatingRole>;

export const tokenGatingError = z
  .object({
    roleId: z.string(),
    rule: z
      .int()
      .describe('Index of the rule in the request, or of the entry in the rules of the community.'),
    path: z
      .string()
      .optional()
      .describe('The rule within an entry of several rules, such as `allOf.0` or `atLeast.of.1.not`.'),
    name: z.string(),
    message: z.string(),
    retryable: z.boolean().describe('Asking again later may give an answer.'),
  })
  .meta({ id: 'TokenGatingError', description: 'Why it could not be determined whether a role is granted.' });
export type TokenGatingError = z.output<typeof tokenGatingError>;

/** spec.md 2.2. A synchronous response has no `requestId`, `errors` only if there are any, and `explanations` only if asked for. */
export const tokenGatingResponse = z
  .object({
    requestId: z.string().optional(),
    roles: z.array(tokenGatingRole).optional(),
    errors: z.array(tokenGatingError).optional(),
    explanations: z
      .array(tokenGatingExplanation)
      .optional()
      .describe('One for each rule, in order. Present only where the request asked for it.'),
  })
  .meta({ id: 'TokenGatingResponse', description: 'Which roles are granted.' });
export type TokenGatingResponse = z.output<typeof tokenGatingResponse>;
