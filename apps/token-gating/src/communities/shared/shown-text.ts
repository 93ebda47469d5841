import { z } from 'zod';

/** What people read in one line. No control or invisible characters: names that look alike are alike. */
export const shownText = z
  .string()
  .min(1, 'must not be empty')
  .max(100)
  .regex(/^[^\p{C}\p{Zl}\p{Zp}]*$/u, 'must not hold control characters')
  .regex(/^(?!\s)(?!.*\s$)/su, 'must not begin or end with a space');
