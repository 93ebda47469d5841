import { z } from 'zod';

export const MAX_APPROVAL_MESSAGE_LENGTH = 1_000;

/** Plain text that owners and operators write to each other about an approval. Browsers send line breaks as CR LF. */
export const approvalMessage = z
  .string({ error: 'must not be empty' })
  .transform((text) => text.replaceAll('\r\n', '\n').trim())
  .pipe(
    z
      .string()
      .min(1, 'must not be empty')
      .max(MAX_APPROVAL_MESSAGE_LENGTH, `must have at most ${MAX_APPROVAL_MESSAGE_LENGTH} characters`)
      .regex(/^(?:\n|[^\p{Cc}\p{Cs}])*$/u, 'must not hold control characters'),
  );
