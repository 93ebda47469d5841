/** The node answered that the request is wrong: other nodes would, too. */
export class SolanaRequestError extends Error {
  override readonly name = 'SolanaRequestError';
}

/** The node did not answer, or not as a node should: another one may. Its message has no URL, which may hold a key. */
export class SolanaNodeError extends Error {
  override readonly name = 'SolanaNodeError';
  /** Whether the transaction of one client application may be the reason, so that the error alone says nothing of the node. */
  readonly isOfTransaction: boolean;

  constructor(
    message: string,
    { isOfTransaction = false, ...options }: ErrorOptions & { readonly isOfTransaction?: boolean } = {},
  ) {
    super(message, options);
    this.isOfTransaction = isOfTransaction;
  }
}
