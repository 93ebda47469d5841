import {
  getBase58Decoder,
  getBase58Encoder,
  getBase64Decoder,
  getBase64Encoder,
  isAddress,
} from '@solana/kit';
import { invalidParam } from './rpc-error.mjs';

/** @import { Address, EncodedAccount, ReadonlyUint8Array } from '@solana/kit' */
/** @typedef {{ encoding?: string, dataSlice?: { offset: number, length: number } }} AccountOptions */
/** @typedef {{ dataSize?: number, memcmp?: { offset: number, bytes: string, encoding?: string } }} AccountFilter */

/** @param {unknown} text @returns {Address} */
export function toAddress(text) {
  if (typeof text !== 'string' || !isAddress(text)) throw invalidParam(`Invalid address: ${String(text)}`);
  return text;
}

/**
 * Base64 for `jsonParsed`, too, as nodes do for programs that they cannot parse.
 * @param {Omit<EncodedAccount, 'address' | 'space'>} account
 * @param {AccountOptions} [options]
 */
export function toJsonAccount({ data, executable, lamports, programAddress }, { encoding, dataSlice } = {}) {
  const bytes = dataSlice ? data.subarray(dataSlice.offset, dataSlice.offset + dataSlice.length) : data;
  if (encoding === 'base64+zstd') throw invalidParam('base64+zstd is not supported');
  const encoded =
    encoding === 'base58'
      ? [getBase58Decoder().decode(bytes), 'base58']
      : [getBase64Decoder().decode(bytes), 'base64'];
  return { data: encoded, executable, lamports, owner: programAddress, rentEpoch: 0, space: data.length };
}

/** @param {EncodedAccount} account @param {AccountOptions} [options] */
export const toJsonKeyedAccount = (account, options) => ({
  pubkey: account.address,
  account: toJsonAccount(account, options),
});

/**
 * A filter of getProgramAccounts.
 * @param {ReadonlyUint8Array} data of the account
 * @param {AccountFilter} filter
 * @returns {boolean}
 */
export function matchesFilter(data, { dataSize, memcmp }) {
  if (dataSize !== undefined && data.length !== dataSize) return false;
  if (memcmp === undefined) return true;
  const { offset, bytes, encoding = 'base58' } = memcmp;
  const wanted = (encoding === 'base64' ? getBase64Encoder : getBase58Encoder)().encode(bytes);
  return Buffer.from(data.subarray(offset, offset + wanted.length)).equals(Buffer.from(wanted));
}
