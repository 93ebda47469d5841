/**
 * Parses a `Prefer` header (RFC 7240) into values by lower-case name. The first occurrence of a name wins; parameters are
 * ignored. Node joins repeated headers with commas.
 */
export function parsePreferHeader(header: string | string[]): ReadonlyMap<string, string> {
  const preferences = new Map<string, string>();
  for (const preference of [header].flat().join(',').split(',')) {
    const [first = ''] = preference.split(';');
    const [name = '', value = ''] = first.split('=').map((part) => part.trim());
    const key = name.toLowerCase();
    if (key !== '' && !preferences.has(key))
      preferences.set(key, value.replace(/^"(.*)"$/, '$1').toLowerCase());
  }
  return preferences;
}
