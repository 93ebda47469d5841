import { getBase58Decoder, getCompiledTransactionMessageDecoder, getTransactionDecoder } from '@solana/kit';
import { invalidParam } from './rpc-error.mjs';

/** @import { CompiledTransactionMessage, ReadonlyUint8Array } from '@solana/kit' */
/** @import { LiteSVM } from 'litesvm' */

/** @typedef {Exclude<CompiledTransactionMessage, { version: 1 }> & { lifetimeToken: string }} Message */

/** Bytes of an address lookup table before its addresses. */
const TABLE_HEADER_BYTES = 56;

/**
 * A transaction as getTransaction answers it with the encoding `json`.
 * @param {LiteSVM} svm
 * @param {import('./cluster.mjs').Landed} landed
 */
export function toJsonTransaction(svm, landed) {
  const { messageBytes, signatures } = getTransactionDecoder().decode(landed.wire);
  const message = decodeMessage(messageBytes);
  const { err, logs, preBalances, postBalances, unitsConsumed, slot, blockTime } = landed;
  const loaded = listLoadedAddresses(svm, message);
  const spent = preBalances.reduce((sum, lamports) => sum + lamports, 0n);
  const left = postBalances.reduce((sum, lamports) => sum + lamports, 0n);
  return {
    slot,
    blockTime,
    version: message.version,
    meta: {
      err,
      status: err === null ? { Ok: null } : { Err: err },
      fee: spent - left,
      preBalances,
      postBalances,
      preTokenBalances: [],
      postTokenBalances: [],
      innerInstructions: [],
      logMessages: logs,
      loadedAddresses: loaded,
      rewards: [],
      computeUnitsConsumed: unitsConsumed,
    },
    transaction: {
      signatures: Object.values(signatures).map((signature) =>
        getBase58Decoder().decode(signature ?? new Uint8Array(64)),
      ),
      message: toJsonMessage(message),
    },
  };
}

/** @param {ReadonlyUint8Array} bytes @returns {Message} */
function decodeMessage(bytes) {
  const message = getCompiledTransactionMessageDecoder().decode(bytes);
  if (message.version === 1) throw invalidParam('transactions of version 1 are not supported');
  return message;
}

/** @param {Message} message */
function toJsonMessage(message) {
  const { header, staticAccounts, lifetimeToken, instructions } = message;
  const addressTableLookups = lookupsOf(message);
  return {
    header: {
      numRequiredSignatures: header.numSignerAccounts,
      numReadonlySignedAccounts: header.numReadonlySignerAccounts,
      numReadonlyUnsignedAccounts: header.numReadonlyNonSignerAccounts,
    },
    accountKeys: staticAccounts,
    recentBlockhash: lifetimeToken,
    instructions: instructions.map(
      ({ programAddressIndex, accountIndices = [], data = new Uint8Array() }) => ({
        programIdIndex: programAddressIndex,
        accounts: accountIndices,
        data: getBase58Decoder().decode(data),
        stackHeight: 1,
      }),
    ),
    ...(addressTableLookups === undefined
      ? {}
      : {
          addressTableLookups: addressTableLookups.map(
            ({ lookupTableAddress, writableIndexes, readonlyIndexes }) => ({
              accountKey: lookupTableAddress,
              writableIndexes,
              readonlyIndexes,
            }),
          ),
        }),
  };
}

/** The accounts of a transaction in its order. @param {LiteSVM} svm @param {ReadonlyUint8Array} wire */
export function listAccounts(svm, wire) {
  const { messageBytes } = getTransactionDecoder().decode(wire);
  const message = decodeMessage(messageBytes);
  const { writable, readonly } = listLoadedAddresses(svm, message);
  return [...message.staticAccounts, ...writable, ...readonly];
}

/** Messages of the version `legacy` name no lookup tables. @param {Message} message */
const lookupsOf = (message) => ('addressTableLookups' in message ? message.addressTableLookups : undefined);

/** @param {LiteSVM} svm @param {Message} message */
function listLoadedAddresses(svm, message) {
  const addressTableLookups = lookupsOf(message) ?? [];
  /** @param {'writableIndexes' | 'readonlyIndexes'} field */
  const pick = (field) =>
    addressTableLookups.flatMap((lookup) => {
      const account = svm.getAccount(lookup.lookupTableAddress);
      if (!account.exists) return [];
      return lookup[field].map((index) => {
        const start = TABLE_HEADER_BYTES + 32 * index;
        return getBase58Decoder().decode(account.data.subarray(start, start + 32));
      });
    });
  return { writable: pick('writableIndexes'), readonly: pick('readonlyIndexes') };
}
