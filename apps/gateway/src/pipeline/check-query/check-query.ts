import type { QueryNames } from '@app/openapi';

export interface CheckedQuery {
  /** Decoded names that the operation does not read, without repetitions, in their order. */
  unknown: readonly string[];
  /** The query with `name[]` and `name[0]` written as `name`, and otherwise byte for byte. */
  query: string;
}

/** jQuery and others add it to get past caches. */
const CACHE_BUSTER = '_';

/** Two ways to write a parameter that is repeated: `assets[]=…` and `assets[0]=…`. */
const INDEXED_NAME = /^([^[\]]+)\[\d{0,9}\]$/;

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/** Compares the names of a query with those that the operation reads. @param text the query without `?` */
export function checkQuery(text: string, { known, repeatable }: QueryNames): CheckedQuery {
  const unknown = new Set<string>();
  const pairs = text.split('&').map((pair) => {
    if (pair === '') return pair;
    const end = pair.indexOf('=');
    const name = decode(end === -1 ? pair : pair.slice(0, end));
    if (known.has(name) || name === CACHE_BUSTER) return pair;
    const base = INDEXED_NAME.exec(name)?.[1];
    if (base !== undefined && repeatable.has(base)) return base + (end === -1 ? '' : pair.slice(end));
    unknown.add(name);
    return pair;
  });
  return { unknown: [...unknown], query: pairs.join('&') };
}
