/** A timestamptz as ISO 8601 in UTC, with all the microseconds that it has: a Date would round them away. */
export const formatTimestampSql = (expression: string): string =>
  `to_char(${expression} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
