import { z } from 'zod';

/** In lower case, as PostgreSQL returns UUIDs. */
export const requestId = z.uuid().toLowerCase();
