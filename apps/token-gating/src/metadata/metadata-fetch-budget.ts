/** contract.md section 8. */
const MAX_FETCHES = 200;

/** Counts the fetches of one request, which the documents of all its rules share. */
export class MetadataFetchBudget {
  private readonly uris = new Set<string>();

  /** Whether the fetch of a document is allowed. Counts each document once, because rules may need the same ones. */
  take(uri: string): boolean {
    if (this.uris.size < MAX_FETCHES) this.uris.add(uri);
    return this.uris.has(uri);
  }
}
