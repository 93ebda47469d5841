/** SQL: the database's clock as events carry it, ISO 8601 in UTC. Later than whatever the statement waited for. */
export const CLOCK_ISO = `to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
