import { z } from 'zod';

/** spec.md 5.2, with PKCE (RFC 7636) and OpenID Connect's nonce. Unknown parameters are ignored (RFC 6749 section 3.1). */
export const authorizeQuery = z.object({
  response_type: z.enum(['code', 'token']),
  client_id: z.string().min(1).max(128),
  redirect_uri: z.string().min(1).max(2_048),
  scope: z.string().max(1_024).optional().meta({ description: 'Scopes, separated by spaces' }),
  state: z.string().max(2_048).optional().meta({ description: 'Returned unchanged' }),
  code_challenge: z
    .string()
    .regex(/^[A-Za-z0-9_-]{43}$/)
    .optional(),
  code_challenge_method: z.literal('S256').optional(),
  nonce: z.string().max(512).optional(),
});
