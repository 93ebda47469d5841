/** contract.md section 8. */
const MAX_FETCHES = 200;

/** Counts the fetches of one request, which the documents of all its rules share. */
export class MetadataFetchBudget {
  private remaining = MAX_FETCHES;

  /** Whether another fetch is allowed; counts it. */
  take(): boolean {
    this.remaining -= 1;
    return this.remaining >= 0;
  }
}
