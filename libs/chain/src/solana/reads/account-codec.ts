/** The state of an account. */
export interface SolanaAccount {
  readonly lamports: bigint;
  /** Base58 address of the program that owns the account. */
  readonly programId: string;
  readonly data: Uint8Array;
}

/** Results are texts, so that the cache of call results holds them as it holds those of EVM calls. */
const NO_ACCOUNT = '-';
const NO_TOKEN_ACCOUNTS = '-';

export function encodeAccount(account: SolanaAccount | null): string {
  if (account === null) return NO_ACCOUNT;
  return `${account.programId} ${account.lamports} ${Buffer.from(account.data).toString('base64')}`;
}

export function decodeAccount(text: string): SolanaAccount | undefined {
  if (text === NO_ACCOUNT) return undefined;
  const [programId = '', lamports = '', data = ''] = text.split(' ');
  return { programId, lamports: BigInt(lamports), data: Buffer.from(data, 'base64') };
}

/** @param accounts the data of each token account */
export function encodeTokenAccounts(accounts: readonly Uint8Array[]): string {
  if (accounts.length === 0) return NO_TOKEN_ACCOUNTS;
  return accounts.map((data) => Buffer.from(data).toString('base64')).join(' ');
}

export function decodeTokenAccounts(text: string): Uint8Array[] {
  return text === NO_TOKEN_ACCOUNTS ? [] : text.split(' ').map((data) => Buffer.from(data, 'base64'));
}
