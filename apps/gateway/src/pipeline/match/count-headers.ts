/** How often a header came, by its name in lower case: node keeps only the first of some. */
export function countHeaders(rawHeaders: readonly string[], wanted: string): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === wanted.length && name.toLowerCase() === wanted) count += 1;
  }
  return count;
}
