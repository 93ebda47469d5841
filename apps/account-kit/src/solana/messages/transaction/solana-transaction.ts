import { isValidEd25519Signature } from '@app/chain/sign-in';
import base58 from 'bs58';
import { solanaTransactionInvalid } from '../solana-message.errors.js';

/** Checks the signatures of all signers but `own`, whose signatures the service makes. */
export function checkForeignSignatures(transaction: SolanaTransaction, own: readonly string[]): void {
  transaction.signers.forEach((signer, index) => {
    if (own.includes(signer)) return;
    const signature = transaction.signatures[index];
    if (!signature || signature.every((byte) => byte === 0))
      throw solanaTransactionInvalid(`the signature of ${signer} is missing`);
    if (!isValidEd25519Signature({ message: transaction.message, key: base58.decode(signer), signature }))
      throw solanaTransactionInvalid(`the signature of ${signer} is wrong`);
  });
}

const SIGNATURE_BYTES = 64;

/** The transaction as nodes take it. @param signatures 64 bytes for each signer */
export const toWire = ({
  message,
  signatures,
}: {
  readonly message: Buffer;
  readonly signatures: Buffer;
}): Buffer => Buffer.concat([Buffer.of(signatures.length / SIGNATURE_BYTES), signatures, message]);

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
