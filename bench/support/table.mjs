/**
 * A Markdown table.
 * @param {string} title
 * @param {string[]} head
 * @param {(string | number)[][]} rows
 */
export function table(title, head, rows) {
  const all = [head, ...rows].map((row) => row.map(String));
  const widths = head.map((_, at) => Math.max(...all.map((row) => row[at].length)));
  const line = (cells) => `| ${cells.map((cell, at) => cell.padEnd(widths[at])).join(' | ')} |`;
  const [first, ...rest] = all.map(line);
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return [`## ${title}`, '', first, rule, ...rest].join('\n');
}

export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

/** @param {number} share 0.99 for the 99th percentile */
export function percentile(numbers, share) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

export const fixed = (number, digits = 2) => number.toFixed(digits);
