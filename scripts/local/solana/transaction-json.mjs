import { getBase58Decoder, getCompiledTransactionMessageDecoder, getTransactionDecoder } from '@solana/kit';

/** Bytes of an address lookup table before its addresses. */
const TABLE_HEADER_BYTES = 56;

/** A transaction as getTransaction answers it with the encoding `json`. @param {import('./cluster.mjs').Landed} landed */
export function toJsonTransaction(svm, landed) {
  const { messageBytes, signatures } = getTransactionDecoder().decode(landed.wire);
  const message = getCompiledTransactionMessageDecoder().decode(messageBytes);
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
      signatures: Object.values(signatures).map((signature) => getBase58Decoder().decode(signature)),
      message: toJsonMessage(message),
    },
  };
}

function toJsonMessage(message) {
  const { header, staticAccounts, lifetimeToken, instructions, addressTableLookups } = message;
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

/** The accounts of a transaction in its order. @param {Uint8Array} wire */
export function listAccounts(svm, wire) {
  const { messageBytes } = getTransactionDecoder().decode(wire);
  const message = getCompiledTransactionMessageDecoder().decode(messageBytes);
  const { writable, readonly } = listLoadedAddresses(svm, message);
  return [...message.staticAccounts, ...writable, ...readonly];
}

function listLoadedAddresses(svm, { addressTableLookups = [] }) {
  const pick = (field) =>
    addressTableLookups.flatMap((lookup) => {
      const { exists, data } = svm.getAccount(lookup.lookupTableAddress);
      if (!exists) return [];
      return lookup[field].map((index) => {
        const start = TABLE_HEADER_BYTES + 32 * index;
        return getBase58Decoder().decode(data.subarray(start, start + 32));
      });
    });
  return { writable: pick('writableIndexes'), readonly: pick('readonlyIndexes') };
}
