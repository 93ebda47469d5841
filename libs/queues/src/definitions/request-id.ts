import { z } from 'zod';

/** A request id in lower case, as PostgreSQL returns UUIDs. */
export const requestId = z.uuid().toLowerCase();
