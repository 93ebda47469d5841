import type { z } from 'zod';

/** A handler answered something else than its contract says. Its message names fields, never values. */
export class AnswerMismatch extends Error {
  override readonly name = 'AnswerMismatch';

  constructor(handler: string, { issues }: z.ZodError) {
    const found = issues.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`);
    super(`${handler} does not answer as its contract says: ${found.join('; ')}`);
  }
}
