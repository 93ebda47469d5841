/** Rows that a step takes at once. */
export const MOST_ROWS = 1_000;
