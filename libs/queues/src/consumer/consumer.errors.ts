/** This job cannot succeed, however often it is tried: it goes to the failed list at once. */
export class PermanentJobError extends Error {
  override readonly name = 'PermanentJobError';
}

/** Not yet: the job comes back after this time, and the attempt does not count. */
export class RetryLaterError extends Error {
  override readonly name = 'RetryLaterError';

  constructor(readonly afterMs: number) {
    super(`Again in ${afterMs} ms`);
  }
}
