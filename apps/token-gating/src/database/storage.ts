import { migrations } from '../migrations/index.js';

/** What token-gating owns in PostgreSQL. */
export const storage = { schema: 'token_gating', entities: [], migrations };
