const LONGEST_MS = 60_000;

/** Milliseconds until nodes that did not answer are asked again: twice as long each time, up to a minute. */
export const retryDelay = (firstMs: number, retries: number): number =>
  Math.min(LONGEST_MS, firstMs * 2 ** Math.min(retries, 16));
