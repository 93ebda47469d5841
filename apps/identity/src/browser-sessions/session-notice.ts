import { z } from 'zod';

/** What one page says once about the form that led to it, and what a person does next. */
export const sessionNotice = z.object({
  /** The page that shows the notice. */
  path: z.string(),
  /** A sentence in which `{name}` stands for the name, because names may be written from right to left. */
  text: z.string(),
  name: z.string().optional(),
  next: z.array(z.object({ href: z.string(), text: z.string() })).default([]),
});
export type SessionNotice = z.output<typeof sessionNotice>;
