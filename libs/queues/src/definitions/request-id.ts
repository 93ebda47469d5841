import { z } from 'zod';

/** In lower case, as PostgreSQL gives it back: one check has one spelling. */
export const requestId = z.uuid().toLowerCase();
