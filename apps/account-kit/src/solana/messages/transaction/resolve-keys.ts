import { AddressLookupTableAccount } from '@solana/web3.js';
import { solanaTransactionInvalid } from '../solana-message.errors.js';
import type { SolanaTransaction } from './solana-transaction.js';

const TABLE_PROGRAM = 'AddressLookupTab1e1111111111111111111111111';

/** What of an account a node answered. */
export interface AccountState {
  /** Base58 address of the program that owns the account. */
  readonly programId: string;
  readonly data: Uint8Array;
}

/**
 * All keys of a transaction in the order of its indexes. Entries of a table never change, and no table is made again at the same
 * address, so what is judged is what runs.
 * @param tables the state of each table that the transaction names
 */
export function resolveKeys(
  { staticKeys, lookups }: Pick<SolanaTransaction, 'staticKeys' | 'lookups'>,
  tables: ReadonlyMap<string, AccountState>,
): string[] {
  const found = lookups.map((lookup) => ({ ...lookup, entries: readTable(lookup.table, tables) }));
  const pick = (table: string, entries: readonly string[], indexes: readonly number[]) =>
    indexes.map((index) => {
      const key = entries[index];
      if (key === undefined)
        throw solanaTransactionInvalid(`the address lookup table ${table} has no entry ${index}`);
      return key;
    });
  return [
    ...staticKeys,
    ...found.flatMap(({ table, entries, writableIndexes }) => pick(table, entries, writableIndexes)),
    ...found.flatMap(({ table, entries, readonlyIndexes }) => pick(table, entries, readonlyIndexes)),
  ];
}

const UNRESOLVED_PREFIX = 'entry of ';

/**
 * All keys of a transaction in the order of its indexes, as far as the message tells them. Signers and called programs are never among
 * the others: those are entries of tables.
 */
export function listKeysWithoutTables({
  staticKeys,
  lookups,
}: Pick<SolanaTransaction, 'staticKeys' | 'lookups'>): string[] {
  const list = (kind: 'writableIndexes' | 'readonlyIndexes') =>
    lookups.flatMap((lookup) => lookup[kind].map((index) => `${UNRESOLVED_PREFIX}${lookup.table}: ${index}`));
  return [...staticKeys, ...list('writableIndexes'), ...list('readonlyIndexes')];
}

/** Whether a key of `listKeysWithoutTables` is not known. */
export const isUnresolved = (key: string): boolean => key.startsWith(UNRESOLVED_PREFIX);

function readTable(address: string, tables: ReadonlyMap<string, AccountState>): string[] {
  const table = tables.get(address);
  if (table?.programId !== TABLE_PROGRAM)
    throw solanaTransactionInvalid(`there is no address lookup table ${address}`);
  try {
    return AddressLookupTableAccount.deserialize(table.data).addresses.map((key) => key.toBase58());
  } catch {
    throw solanaTransactionInvalid(`the address lookup table ${address} is not initialized`);
  }
}
