import { getAddressDecoder } from '@solana/kit';
import { toAddress } from './account-json.mjs';
import { invalidParam } from './rpc-error.mjs';

/** @import { Address, ReadonlyUint8Array } from '@solana/kit' */
/** @import { LiteSVM } from 'litesvm' */

const TOKEN_PROGRAMS = [
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
];
/** Offsets of fields; of both token programs. */
const TOKEN_ACCOUNT = { mint: 0, owner: 32, amount: 64, state: 108, length: 165 };
const MINT = { supply: 36, decimals: 44, length: 82 };
/** The byte after the fields of an account with extensions (Token-2022). */
const ACCOUNT_TYPE = { mint: 1, tokenAccount: 2 };

/**
 * The accounts of an owner for one mint, or of one token program.
 * @param {import('litesvm').LiteSVM} svm
 * @param {string} owner
 * @param {{ mint?: string, programId?: string }} filter
 */
export function listTokenAccounts(svm, owner, { mint, programId }) {
  if (mint === undefined && programId === undefined) throw invalidParam('mint or programId is missing');
  const program =
    programId === undefined ? getMint(svm, toAddress(mint)).programAddress : toAddress(programId);
  if (!TOKEN_PROGRAMS.includes(program)) throw invalidParam('unrecognized Token program id');
  return svm
    .getProgramAccounts(program)
    .filter(
      ({ data }) =>
        isTokenAccount(data) &&
        readAddress(data, TOKEN_ACCOUNT.owner) === owner &&
        (mint === undefined || readAddress(data, TOKEN_ACCOUNT.mint) === mint),
    );
}

/** @param {import('litesvm').LiteSVM} svm @param {string} address of a token account */
export function getTokenAccountBalance(svm, address) {
  const account = svm.getAccount(toAddress(address));
  if (!account.exists) throw invalidParam('could not find account');
  if (!isTokenAccount(account.data)) throw invalidParam('not a Token account');
  const mint = getMint(svm, readAddress(account.data, TOKEN_ACCOUNT.mint));
  return toTokenAmount(readU64(account.data, TOKEN_ACCOUNT.amount), mint.data[MINT.decimals] ?? 0);
}

/** @param {import('litesvm').LiteSVM} svm @param {string} mint */
export function getTokenSupply(svm, mint) {
  const { data } = getMint(svm, toAddress(mint));
  return toTokenAmount(readU64(data, MINT.supply), data[MINT.decimals] ?? 0);
}

/** @param {LiteSVM} svm @param {Address} address */
function getMint(svm, address) {
  const account = svm.getAccount(address);
  if (!account.exists) throw invalidParam('could not find mint');
  const isMint = account.data.length === MINT.length || hasAccountType(account.data, ACCOUNT_TYPE.mint);
  if (!isMint) throw invalidParam('Token mint could not be unpacked');
  if (!TOKEN_PROGRAMS.includes(account.programAddress)) throw invalidParam('not a Token mint');
  return account;
}

/** @param {ReadonlyUint8Array} data */
const isTokenAccount = (data) =>
  (data.length === TOKEN_ACCOUNT.length || hasAccountType(data, ACCOUNT_TYPE.tokenAccount)) &&
  data[TOKEN_ACCOUNT.state] !== 0;
/** @param {ReadonlyUint8Array} data @param {number} type */
const hasAccountType = (data, type) => data[TOKEN_ACCOUNT.length] === type;
/** @param {ReadonlyUint8Array} data @param {number} offset */
const readAddress = (data, offset) => getAddressDecoder().decode(data, offset);
/** @param {ReadonlyUint8Array} data @param {number} offset */
const readU64 = (data, offset) => new DataView(data.buffer, data.byteOffset).getBigUint64(offset, true);

/** @param {bigint} amount @param {number} decimals */
function toTokenAmount(amount, decimals) {
  const digits = amount.toString().padStart(decimals + 1, '0');
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  const uiAmountString = digits.slice(0, digits.length - decimals) + (fraction && `.${fraction}`);
  return { amount: amount.toString(), decimals, uiAmount: Number(uiAmountString), uiAmountString };
}
