/** SQL of what a freeze may be of. */
interface FreezeColumns {
  /** Id of the account, and of the client application for which it acts. */
  readonly account: string;
  readonly client: string;
  /** EVM chain id or Solana network. */
  readonly chain: string;
  /** Null where no sponsor pays. */
  readonly paymaster: string;
}

/** SQL of the freezes of an operation, as rows of `f`. */
export const freezesOf = ({ account, client, chain, paymaster }: FreezeColumns): string => `
  FROM account_kit.freezes AS f
  WHERE f.scope = 'everything'
    OR (f.scope = 'account' AND f.subject = (${account})::text)
    OR (f.scope = 'application' AND f.subject = ${client})
    OR (f.scope = 'chain' AND f.subject = (${chain})::text)
    OR (f.scope = 'paymaster' AND f.subject = (${chain})::text AND ${paymaster} IS NOT NULL)`;

/** SQL condition: operators have frozen a row of `user_operations`. */
export const isOperationFrozen = (operation: string): string =>
  `EXISTS (SELECT ${freezesOf({
    account: `${operation}.account_id`,
    client: `${operation}.client_id`,
    chain: `${operation}.chain_id`,
    paymaster: `${operation}.paymaster`,
  })})`;

/**
 * SQL condition: operators have frozen the account or the chain of a row of `user_operations`, so that nothing of its lane is repaired. A
 * freeze of the application of one operation does not stop other applications, and a cancellation needs no sponsor.
 */
export const isLaneFrozen = (operation: string): string =>
  `EXISTS (SELECT ${freezesOf({
    account: `${operation}.account_id`,
    client: 'NULL',
    chain: `${operation}.chain_id`,
    paymaster: 'NULL',
  })})`;

/** SQL condition: operators have frozen a client application. */
export const isApplicationFrozen = (client: string): string =>
  `EXISTS (SELECT FROM account_kit.freezes WHERE scope = 'application' AND subject = ${client})`;

/** SQL condition: operators have frozen a row of `solana_transactions`. */
export const isTransactionFrozen = (transaction: string): string =>
  `EXISTS (SELECT ${freezesOf({
    account: `${transaction}.account_id`,
    client: `${transaction}.client_id`,
    chain: `${transaction}.network`,
    paymaster: `${transaction}.sponsor`,
  })})`;
