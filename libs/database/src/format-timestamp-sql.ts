/** SQL that formats a timestamptz as ISO 8601 in UTC with microseconds, which a Date would round off. */
export const formatTimestampSql = (expression: string): string =>
  `to_char(${expression} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
