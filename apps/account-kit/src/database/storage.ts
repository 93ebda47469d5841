import { migrations } from '../migrations/index.js';

/** The PostgreSQL schema of account-kit. */
export const storage = { schema: 'account_kit', entities: [], migrations, preparesStatements: true };
