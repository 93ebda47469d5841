import { z } from 'zod';

/** The four security schemes, named as in the OpenAPI document. */
export const SECURITY_SCHEMES = ['apiKey', 'authenticatedEncryption', 'ethereum', 'serviceOAuth2'] as const;
export type SecurityScheme = (typeof SECURITY_SCHEMES)[number];

/**
 * What an operation requires of its caller (contract.md section 1): nothing, an authenticated client application, an
 * authenticated user, or either of them.
 */
export type CallerRequirement = 'none' | 'client' | 'user' | 'either';

/** spec.md 2.3, with `requestId` and `code` in `details`. */
export const errorEnvelope = z
  .object({
    error: z.object({
      name: z.string(),
      message: z.string(),
      statusCode: z.int(),
      details: z.looseObject({ requestId: z.string(), code: z.string().optional() }),
      stack: z.string(),
    }),
  })
  .meta({ id: 'ErrorEnvelope', description: 'The body of every answer that is an error.' });
