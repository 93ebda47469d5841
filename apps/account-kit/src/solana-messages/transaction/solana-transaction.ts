/** An instruction whose program and accounts are positions in the list of the transaction's keys. */
export interface CompiledInstruction {
  readonly programIndex: number;
  readonly accountIndexes: readonly number[];
  readonly data: Uint8Array;
}

/** Entries of an address lookup table that a transaction of version 0 names. */
export interface TableLookup {
  /** Base58 address of the table. */
  readonly table: string;
  readonly writableIndexes: readonly number[];
  readonly readonlyIndexes: readonly number[];
}

/** A decoded transaction. Keys, tables and the blockhash are base58. */
export interface SolanaTransaction {
  /** The transaction as it was submitted. */
  readonly wire: Uint8Array;
  /** A signature of 64 bytes for each signer; zeros where it is missing. */
  readonly signatures: readonly Uint8Array[];
  /** What the signatures sign. */
  readonly message: Uint8Array;
  readonly blockhash: string;
  /** The keys of the signers; the first one pays the fee. */
  readonly signers: readonly string[];
  /** Begins with the signers; keys from tables follow later (`resolveKeys`). */
  readonly staticKeys: readonly string[];
  readonly instructions: readonly CompiledInstruction[];
  readonly lookups: readonly TableLookup[];
}
