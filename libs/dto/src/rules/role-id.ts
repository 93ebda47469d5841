import { z } from 'zod';

/** Chosen by the creator of the role, and used in paths. */
export const roleId = z
  .string('is required: the id of the role')
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_.~-]{0,63}$/,
    'must be 1 to 64 letters, digits or _ . ~ -, a letter or digit first',
  );
