import { migrations } from '../migrations/index.js';

/** The PostgreSQL schema of token-gating. */
export const storage = { schema: 'token_gating', entities: [], migrations };
