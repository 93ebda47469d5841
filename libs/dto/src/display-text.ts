import { z } from 'zod';

/** What people read in one line, up to so many UTF-16 units: nothing invisible but what joins letters and emoji. */
export const displayText = (most: number) =>
  z
    .string()
    .min(1, 'must not be empty')
    .max(most)
    .regex(/^(?:[^\p{C}\p{Zl}\p{Zp}]|[\u200c\u200d])*$/u, 'must not hold control characters');
