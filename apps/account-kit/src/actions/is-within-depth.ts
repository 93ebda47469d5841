/** Whether arrays and objects are nested at most `maxDepth` deep. */
export function isWithinDepth(value: unknown, maxDepth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return maxDepth > 0 && Object.values(value).every((inner) => isWithinDepth(inner, maxDepth - 1));
}
