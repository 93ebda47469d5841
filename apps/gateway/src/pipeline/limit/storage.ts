import { COUNTERS_SCHEMA } from '@app/limits';
import { migrations } from '../../migrations/index.js';

/** The gateway's PostgreSQL schema: only counters. */
export const storage = { schema: COUNTERS_SCHEMA, entities: [], migrations };
