/** The state of an account. */
export interface SolanaAccount {
  readonly lamports: bigint;
  /** Base58 address of the program that owns the account. */
  readonly programId: string;
  readonly data: Uint8Array;
}

/** Results are texts, so that the cache of call results holds them as it holds those of EVM calls. */
const NO_ACCOUNT = '-';
const EMPTY_LIST = '-';
const SEPARATOR = ',';

export function encodeAccount(account: SolanaAccount | null): string {
  if (account === null) return NO_ACCOUNT;
  return `${account.programId} ${account.lamports} ${Buffer.from(account.data).toString('base64')}`;
}

export function decodeAccount(text: string): SolanaAccount | undefined {
  if (text === NO_ACCOUNT) return undefined;
  const [programId = '', lamports = '', data = ''] = text.split(' ');
  return { programId, lamports: BigInt(lamports), data: Buffer.from(data, 'base64') };
}

/** @param accounts texts of encodeAccount */
export const joinAccounts = (accounts: readonly string[]): string => accounts.join(SEPARATOR);

export const decodeAccounts = (text: string): (SolanaAccount | undefined)[] =>
  text.split(SEPARATOR).map(decodeAccount);

/** @param accounts the data of each token account */
export const encodeTokenAccounts = (accounts: readonly Uint8Array[]): string =>
  encodeList(accounts.map((data) => Buffer.from(data).toString('base64')));

export const decodeTokenAccounts = (text: string): Uint8Array[] =>
  decodeList(text).map((data) => Buffer.from(data, 'base64'));

/** @param items texts without spaces */
export const encodeList = (items: readonly string[]): string =>
  items.length === 0 ? EMPTY_LIST : items.join(' ');

export const decodeList = (text: string): string[] => (text === EMPTY_LIST ? [] : text.split(' '));

/** An account of a list. */
export interface KeyedAccount {
  readonly address: string;
  readonly data: Uint8Array;
}

export const encodeKeyedAccounts = (accounts: readonly KeyedAccount[]): string =>
  encodeList(accounts.map(({ address, data }) => `${address}:${Buffer.from(data).toString('base64')}`));

export const decodeKeyedAccounts = (text: string): KeyedAccount[] =>
  decodeList(text).map((item) => {
    const [address = '', data = ''] = item.split(':');
    return { address, data: Buffer.from(data, 'base64') };
  });
