/** This job cannot succeed, however often it is tried: it goes to the failed list at once. */
export class PermanentFailure extends Error {
  override readonly name = 'PermanentFailure';
}

/** Not yet: the job comes back after this time, and the attempt does not count. */
export class RetryLater extends Error {
  override readonly name = 'RetryLater';

  constructor(readonly afterMs: number) {
    super(`Again in ${afterMs} ms`);
  }
}
