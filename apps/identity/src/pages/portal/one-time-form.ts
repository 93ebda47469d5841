import { z } from 'zod';

/** The one-time token of each rendered page. Bound to the session by SecretFormService, so that any random text will do. */
const formToken = z
  .string()
  .regex(/^[A-Za-z0-9_-]{43}$/, 'is missing: reload the page and submit the form again');

export const oneTimeForm = z.object({ form: formToken });
export type OneTimeForm = z.output<typeof oneTimeForm>;
