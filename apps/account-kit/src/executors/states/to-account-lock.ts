/** Name of the lock under which nonces of an account's operations on a chain are given away. */
export const toAccountLock = (accountId: string, chainId: number): string =>
  `user-operations ${accountId} ${chainId}`;
