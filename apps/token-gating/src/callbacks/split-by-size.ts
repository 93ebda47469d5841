/** Splits a list into parts of at most `count` elements and `size` together; a larger element is a part of its own. */
export function splitBySize<T>(
  list: readonly T[],
  toSize: (element: T) => number,
  max: { readonly count: number; readonly size: number },
): T[][] {
  const parts: T[][] = [];
  let part: T[] = [];
  let partSize = 0;
  for (const element of list) {
    const size = toSize(element);
    if (part.length > 0 && (part.length >= max.count || partSize + size > max.size)) {
      parts.push(part);
      part = [];
      partSize = 0;
    }
    part.push(element);
    partSize += size;
  }
  if (part.length > 0) parts.push(part);
  return parts;
}
