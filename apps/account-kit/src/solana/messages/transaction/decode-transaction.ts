import { type MessageHeader, VersionedMessage } from '@solana/web3.js';
import { solanaTransactionInvalid } from '../solana-message.errors.js';
import type { CompiledInstruction, SolanaTransaction, TableLookup } from './solana-transaction.js';

/** The payload of an IPv6 packet of 1,280 bytes: Solana's nodes take no larger transaction. */
export const MAX_TRANSACTION_BYTES = 1_232;
const MAX_BASE64_LENGTH = Math.ceil(MAX_TRANSACTION_BYTES / 3) * 4;
const SIGNATURE_BYTES = 64;
/**
 * The most signatures of a transaction: the encoding of 128 would take two bytes. No transaction has room for so many.
 */
const MAX_SIGNATURES = 127;

/** @throws AppError 400 for everything but one complete legacy or version 0 transaction in its canonical encoding */
export function decodeTransaction(base64: string): SolanaTransaction {
  if (base64.length > MAX_BASE64_LENGTH) throw tooLong();
  return decodeWireTransaction(Buffer.from(base64, 'base64'));
}

/** @throws AppError 400 like decodeTransaction */
export function decodeWireTransaction(wire: Uint8Array): SolanaTransaction {
  if (wire.length > MAX_TRANSACTION_BYTES) throw tooLong();
  const [signatureCount = 0] = wire;
  const messageStart = 1 + signatureCount * SIGNATURE_BYTES;
  if (signatureCount === 0 || signatureCount > MAX_SIGNATURES || wire.length <= messageStart)
    throw solanaTransactionInvalid('must be a serialized transaction with its signatures');
  const message = wire.subarray(messageStart);
  const signatures = Array.from({ length: signatureCount }, (_, index) =>
    wire.subarray(1 + index * SIGNATURE_BYTES, 1 + (index + 1) * SIGNATURE_BYTES),
  );
  const parsed = parseMessage(message);
  checkHeader(parsed.header, parsed.staticKeys.length, signatureCount);
  checkIndexes(parsed);
  const { header, ...fields } = parsed;
  return {
    wire,
    signatures,
    message,
    signers: fields.staticKeys.slice(0, header.numRequiredSignatures),
    ...fields,
  };
}

interface ParsedMessage {
  readonly header: MessageHeader;
  readonly blockhash: string;
  readonly staticKeys: readonly string[];
  readonly instructions: readonly CompiledInstruction[];
  readonly lookups: readonly TableLookup[];
}

function parseMessage(bytes: Uint8Array): ParsedMessage {
  const message = deserialize(bytes);
  if (!message)
    throw solanaTransactionInvalid('holds no legacy or version 0 message in its canonical encoding');
  return {
    header: message.header,
    blockhash: message.recentBlockhash,
    staticKeys: message.staticAccountKeys.map((key) => key.toBase58()),
    instructions: message.compiledInstructions.map(({ programIdIndex, accountKeyIndexes, data }) => ({
      programIndex: programIdIndex,
      accountIndexes: accountKeyIndexes,
      data,
    })),
    lookups: message.addressTableLookups.map(({ accountKey, writableIndexes, readonlyIndexes }) => ({
      table: accountKey.toBase58(),
      writableIndexes,
      readonlyIndexes,
    })),
  };
}

/** Undefined where web3.js reads other bytes than it would write: nodes might read them in yet another way. */
function deserialize(bytes: Uint8Array) {
  try {
    const message = VersionedMessage.deserialize(bytes);
    if (message.version === 1) return undefined;
    return Buffer.from(message.serialize()).equals(bytes) ? message : undefined;
  } catch {
    // web3.js throws errors of many types for malformed bytes.
    return undefined;
  }
}

/** The checks of Solana's runtime: https://docs.rs/solana-message, `sanitize`. */
function checkHeader(header: MessageHeader, keyCount: number, signatureCount: number): void {
  const { numRequiredSignatures, numReadonlySignedAccounts, numReadonlyUnsignedAccounts } = header;
  if (numRequiredSignatures !== signatureCount)
    throw solanaTransactionInvalid(
      `must hold ${numRequiredSignatures} signatures, zeros where one is missing`,
    );
  const isSound =
    numReadonlySignedAccounts < numRequiredSignatures &&
    numRequiredSignatures + numReadonlyUnsignedAccounts <= keyCount;
  if (!isSound) throw solanaTransactionInvalid('counts more signers or read-only accounts than it has keys');
}

function checkIndexes({ staticKeys, instructions, lookups }: ParsedMessage): void {
  if (new Set(staticKeys).size !== staticKeys.length)
    throw solanaTransactionInvalid('must not name an account twice');
  if (new Set(lookups.map(({ table }) => table)).size !== lookups.length)
    throw solanaTransactionInvalid('must not name an address lookup table twice');
  const keyCount = lookups.reduce(
    (sum, { writableIndexes, readonlyIndexes }) => sum + writableIndexes.length + readonlyIndexes.length,
    staticKeys.length,
  );
  const isSound = instructions.every(
    ({ programIndex, accountIndexes }) =>
      programIndex > 0 &&
      programIndex < staticKeys.length &&
      accountIndexes.every((index) => index < keyCount),
  );
  if (!isSound) throw solanaTransactionInvalid('has an instruction that names an account outside its keys');
}

const tooLong = () => solanaTransactionInvalid(`must not exceed ${MAX_TRANSACTION_BYTES} bytes`);
