/** Moves the job to the failed list at once, without retries. */
export class PermanentJobError extends Error {
  override readonly name = 'PermanentJobError';
}

/** Delays the job. The attempt does not count. */
export class RetryLaterError extends Error {
  override readonly name = 'RetryLaterError';

  constructor(readonly afterMs: number) {
    super(`Retry in ${afterMs} ms`);
  }
}
