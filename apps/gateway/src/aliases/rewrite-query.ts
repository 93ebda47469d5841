/** Values of one query parameter by their other spelling. */
export type QueryValues = ReadonlyMap<string, string>;

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    // The value is not rewritten: the app refuses it as it is.
    return undefined;
  }
}

/** Replaces other spellings in a query. Everything else stays byte for byte. @param query begins with `?` */
export function rewriteQuery(query: string, values: ReadonlyMap<string, QueryValues>): string {
  const pairs = query.slice(1).split('&');
  return `?${pairs.map((pair) => rewritePair(pair, values)).join('&')}`;
}

function rewritePair(pair: string, values: ReadonlyMap<string, QueryValues>): string {
  const end = pair.indexOf('=');
  if (end === -1) return pair;
  const known = values.get(decode(pair.slice(0, end)) ?? '');
  const real = known?.get(decode(pair.slice(end + 1)) ?? '');
  return real === undefined ? pair : `${pair.slice(0, end + 1)}${encodeURIComponent(real)}`;
}
