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
