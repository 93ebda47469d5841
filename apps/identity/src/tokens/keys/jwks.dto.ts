import { z } from 'zod';

/** RFC 7517 section 5. */
export const jwks = z
  .object({
    keys: z.array(
      z.looseObject({
        kty: z.string(),
        kid: z.string(),
        use: z.string().optional(),
        alg: z.string().optional(),
      }),
    ),
  })
  .meta({ id: 'JsonWebKeySet' });

export type Jwks = z.output<typeof jwks>;
