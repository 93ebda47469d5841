/**
 * A Markdown table.
 * @param {string} title
 * @param {string[]} head
 * @param {(string | number)[][]} rows
 */
export function table(title, head, rows) {
  const all = [head, ...rows].map((row) => row.map(String));
  const widths = head.map((_, at) => Math.max(...all.map((row) => row[at]?.length ?? 0)));
  /** @param {string[]} cells */
  const line = (cells) => `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  const [heading = '', ...rest] = all.map(line);
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return [`## ${title}`, '', heading, rule, ...rest].join('\n');
}

/** @param {readonly number[]} numbers */
export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}

/**
 * @template T
 * @param {readonly T[]} list
 * @returns {T} its first element, which must exist
 */
export function first(list) {
  const [found] = list;
  if (found === undefined) throw new Error('An element is missing');
  return found;
}

/** @param {readonly number[]} numbers @param {number} share 0.99 for the 99th percentile */
export function percentile(numbers, share) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

/** @param {number} number */
export const fixed = (number, digits = 2) => number.toFixed(digits);
