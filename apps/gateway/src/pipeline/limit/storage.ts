import { COUNTERS_SCHEMA } from '@app/rate-limits';
import { migrations } from '../../migrations/index.js';

/** What the gateway keeps in PostgreSQL: counters, nothing else. */
export const storage = { schema: COUNTERS_SCHEMA, entities: [], migrations };
