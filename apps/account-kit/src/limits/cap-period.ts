import type { Cap } from './cap.js';

/** The day or month of UTC that a moment is in; the end is excluded. */
export function toCapPeriod(period: Cap['period'], at: Date): { start: Date; end: Date } {
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()];
  if (period === 'day')
    return { start: new Date(Date.UTC(year, month, day)), end: new Date(Date.UTC(year, month, day + 1)) };
  return { start: new Date(Date.UTC(year, month, 1)), end: new Date(Date.UTC(year, month + 1, 1)) };
}
