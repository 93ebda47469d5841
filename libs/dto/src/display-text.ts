import { z } from 'zod';

/** Text for one line of a page, without invisible characters except joiners of letters and emoji. Length in UTF-16 units. */
export const displayText = (maxLength: number) =>
  z
    .string()
    .min(1, 'must not be empty')
    .max(maxLength)
    .regex(/^(?:[^\p{C}\p{Zl}\p{Zp}]|[\u200c\u200d])*$/u, 'must not hold control characters');
