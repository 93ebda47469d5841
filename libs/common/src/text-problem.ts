/** Why PostgreSQL would not keep a text that JSON allows, or undefined. */
export function textProblem(text: string): string | undefined {
  if (text.includes('\0')) return 'must not hold a NUL character';
  if (!text.isWellFormed()) return 'must not hold half of a surrogate pair';
  return undefined;
}
