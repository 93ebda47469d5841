import { isoTime } from '@app/database';

/** SQL: the database's clock as events carry it. Later than whatever the statement waited for. */
export const CLOCK_ISO = isoTime('clock_timestamp()');
