import { migrations } from '../migrations/index.js';

/** What analytics owns in PostgreSQL. */
export const storage = { schema: 'analytics', entities: [], migrations };
