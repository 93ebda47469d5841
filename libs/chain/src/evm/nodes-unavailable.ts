export type NodesUnavailableCode = 'unknown_chain' | 'unavailable' | 'timeout';

/** Nothing is known, because no node could be asked: neither yes nor no. The message names no RPC URL. */
export class NodesUnavailable extends Error {
  override readonly name = 'NodesUnavailable';

  constructor(
    readonly code: NodesUnavailableCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
