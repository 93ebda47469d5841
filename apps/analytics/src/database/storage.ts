import { migrations } from '../migrations/index.js';

/** The PostgreSQL schema of analytics. */
export const storage = { schema: 'analytics', entities: [], migrations, preparesStatements: true };
