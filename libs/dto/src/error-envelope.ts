import { z } from 'zod';

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
