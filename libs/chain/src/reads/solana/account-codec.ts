interface Account<Data> {
  readonly lamports: bigint;
  /** Base58 address of the program that owns the account. */
  readonly programId: string;
  readonly data: Data;
}
/** The state of an account. */
export type SolanaAccount = Account<Uint8Array>;
/** An account with its data in base64, as nodes send it. */
type Base64Account = Account<string>;

/** Results are texts, so that the cache of call results holds them as it holds those of EVM calls. */
const NO_ACCOUNT = '-';
const EMPTY_LIST = '-';
const SEPARATOR = ',';

export const encodeAccount = (account: Base64Account | null): string =>
  account === null ? NO_ACCOUNT : `${account.programId} ${account.lamports} ${account.data}`;

export function decodeAccount(text: string): SolanaAccount | undefined {
  if (text === NO_ACCOUNT) return undefined;
  const [programId = '', lamports = '', data = ''] = text.split(' ');
  return { programId, lamports: BigInt(lamports), data: Buffer.from(data, 'base64') };
}

/** @param accounts texts of encodeAccount */
export const joinAccounts = (accounts: readonly string[]): string => accounts.join(SEPARATOR);

export const decodeAccounts = (text: string): (SolanaAccount | undefined)[] =>
  text.split(SEPARATOR).map(decodeAccount);

/** @param text encodeList of base64 */
export const decodeTokenAccounts = (text: string): Uint8Array[] =>
  decodeList(text).map((data) => Buffer.from(data, 'base64'));

/** @param items texts without spaces */
export const encodeList = (items: readonly string[]): string =>
  items.length === 0 ? EMPTY_LIST : items.join(' ');

export const decodeList = (text: string): string[] => (text === EMPTY_LIST ? [] : text.split(' '));

interface Keyed<Data> {
  readonly address: string;
  readonly data: Data;
}
/** An account of a list. */
export type KeyedAccount = Keyed<Uint8Array>;

/** @param accounts with base64 */
export const encodeKeyedAccounts = (accounts: readonly Keyed<string>[]): string =>
  encodeList(accounts.map(({ address, data }) => `${address}:${data}`));

export const decodeKeyedAccounts = (text: string): KeyedAccount[] =>
  decodeList(text).map((item) => {
    const [address = '', data = ''] = item.split(':');
    return { address, data: Buffer.from(data, 'base64') };
  });
