/** Rows that a step takes at once. */
export const MOST_ROWS = 1_000;

/** One thing that the sweeper does, for itself: none of them waits for another, or fails with it. */
export interface SweepStep {
  /** What could not be done, for the log. */
  readonly name: string;
  /** @returns whether there may be more of it now */
  sweep(): Promise<boolean>;
}
