import type { ValueTransformer } from 'typeorm';

const REPLACEMENT = '\uFFFD';

/**
 * A text that somebody outside has chosen (nodes, contracts, bundlers, platforms, receivers) as PostgreSQL can store it: it takes neither
 * U+0000 nor half a surrogate pair, and one such text would fail the statement of all rows that are stored together.
 */
export const toStoredText = (text: string): string => text.replaceAll('\u0000', REPLACEMENT).toWellFormed();

/** Escapes of JSON. A backslash that is escaped itself escapes nothing. */
const ESCAPES = /\\(?:u[0-9a-f]{4}|.)/g;
/** JSON.stringify escapes surrogates only if they are half of a pair. */
const REFUSED_ESCAPES = /^\\u(?:0000|d[89a-f])/;

/** JSON with keys and values of somebody outside, as PostgreSQL can store it in `jsonb`. */
export function toStoredJson(value: unknown): string {
  const json = JSON.stringify(value);
  if (!json.includes('\\u')) return json;
  return json.replace(ESCAPES, (escape) => (REFUSED_ESCAPES.test(escape) ? REPLACEMENT : escape));
}

/**
 * Reads an int8 column as a number.
 * @throws RangeError for a value that is not a safe integer
 */
export const safeIntegerTransformer: ValueTransformer = {
  to: (value: number | null | undefined) => value,
  from: (value: bigint | null | undefined): number | null | undefined => {
    if (value === null || value === undefined) return value;
    const number = Number(value);
    if (!Number.isSafeInteger(number)) throw new RangeError(`${value.toString()} is not a safe integer`);
    return number;
  },
};

/** SQL that formats a timestamptz as ISO 8601 in UTC with microseconds, which a Date would round off. */
export const formatTimestampSql = (expression: string): string =>
  `to_char(${expression} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
