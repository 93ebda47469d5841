/** One thing that a sweeper does, for itself: none of them waits for another, or fails with it. */
export interface SweepStep {
  /** What could not be done, for the log. */
  readonly name: string;
  /** A bounded piece of it. @returns whether there may be more of it now */
  sweep(): Promise<boolean>;
}
