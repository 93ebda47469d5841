import type { EvmAddress } from '@app/dto';
import sha3 from 'js-sha3';
import { LRUCache } from 'lru-cache';
import {
  decodeUint256,
  encodeAddress,
  encodeNumber,
  encodeUint256,
  MalformedReturnDataError,
  toLowerCaseAddress,
} from './abi-codec.js';
import type { ContractRead } from './contract-read.js';

/**
 * The registry of delegate.xyz, version 2. CREATE2 makes its address follow from its code, so that the contract at this address has the
 * storage that is read here, on every chain that has one.
 */
export const DELEGATE_REGISTRY: EvmAddress = '0x00000000000000447e69651d841bd8d104bed493';

const READ_SLOTS = '61451a30';
const GET_DELEGATIONS_FROM_HASHES = '4705ed38';
const CHECK_DELEGATE_FOR_CONTRACT = '8988eea9';

/** `incomingDelegationHashes` is the third mapping of the contract. */
const INBOX_SLOT = encodeNumber(2);
const WORD_DIGITS = 64;
const NO_RIGHTS = '0'.repeat(WORD_DIGITS);
const EMPTY_WORD = NO_RIGHTS;

/** A part of the list of everything that was ever delegated to an account; whoever pays the gas can make it longer. */
export interface DelegationInbox {
  /** The whole length, revoked delegations included. */
  readonly length: bigint;
  /** Hashes of the part, 64 hex digits each. The last two say the type. */
  readonly hashes: readonly string[];
}

/** What one hash stands for. Addresses are in lower case. */
export interface Delegation {
  /** `none`: revoked. `other`: of a token id or an amount. */
  readonly type: 'none' | 'all' | 'contract' | 'other';
  readonly delegate: EvmAddress;
  readonly vault: EvmAddress;
  /** The contract that the delegation is limited to; of type `all` it has no meaning. */
  readonly contract: EvmAddress;
  /** Whether the delegation is limited to certain rights. */
  readonly hasRights: boolean;
}

/** A read depends on its account alone, so that it is nobody's: rules and their repeated judgements ask for it thousands of times. */
const firstReads = new LRUCache<string, ContractRead<DelegationInbox>>({ max: 5_000 });

/**
 * The length of an inbox and some of its hashes, by `readSlots`: the caller chooses how much is read. `getIncomingDelegations` would
 * answer the whole inbox, of which an inbox with 5,000 entries has 1.1 MB and needs 65 million gas.
 * @param start position of the first hash
 */
export function createInboxRead(
  delegate: string,
  start: number,
  count: number,
): ContractRead<DelegationInbox> {
  if (start > 0) return planInboxRead(delegate, start, count);
  const key = `${count} ${delegate}`;
  let read = firstReads.get(key);
  if (!read) firstReads.set(key, (read = planInboxRead(delegate, start, count)));
  return read;
}

function planInboxRead(delegate: string, start: number, count: number): ContractRead<DelegationInbox> {
  const { lengthSlot, firstSlot } = findInboxSlots(delegate);
  const first = firstSlot + BigInt(start);
  const slots = Array.from({ length: count }, (_, at) =>
    encodeUint256(BigInt.asUintN(256, first + BigInt(at))),
  );
  return {
    to: DELEGATE_REGISTRY,
    data: `${READ_SLOTS}${encodeWords([lengthSlot, ...slots])}`,
    decode: (returnData) => {
      const [length = EMPTY_WORD, ...words] = decodeWords(returnData, count + 1, 1);
      const known = BigInt(`0x${length}`);
      // Slots behind the end of a list are empty, and none before it is.
      const hashes = words.filter((_, at) => BigInt(start + at) < known);
      if (hashes.includes(EMPTY_WORD)) throw new MalformedReturnDataError('the inbox has an empty entry');
      return { length: known, hashes };
    },
  };
}

/** The delegations of some hashes, by `getDelegationsFromHashes`, in their order. */
export function createDelegationsRead(hashes: readonly string[]): ContractRead<readonly Delegation[]> {
  return {
    to: DELEGATE_REGISTRY,
    data: `${GET_DELEGATIONS_FROM_HASHES}${encodeWords(hashes)}`,
    decode: (returnData) => {
      const words = decodeWords(returnData, hashes.length, DELEGATION_WORDS);
      return hashes.map((hash, at) => toDelegation(hash, words.slice(at * DELEGATION_WORDS)));
    },
  };
}

/** Whether a vault has delegated all of itself, or one contract, to an account without limiting the rights. */
export function createDelegationCheckRead(
  delegate: string,
  vault: string,
  contract: EvmAddress,
): ContractRead<boolean> {
  const words = [encodeAddress(delegate), encodeAddress(vault), encodeAddress(contract), NO_RIGHTS];
  return { to: DELEGATE_REGISTRY, data: CHECK_DELEGATE_FOR_CONTRACT + words.join(''), decode: decodeFlag };
}

function findInboxSlots(delegate: string): { lengthSlot: string; firstSlot: bigint } {
  const lengthSlot = hashWords(encodeAddress(delegate) + INBOX_SLOT);
  return { lengthSlot, firstSlot: BigInt(`0x${hashWords(lengthSlot)}`) };
}

const hashWords = (words: string): string => sha3.keccak256(Buffer.from(words, 'hex'));

/** An argument of type bytes32[]. */
const encodeWords = (words: readonly string[]): string =>
  encodeNumber(32) + encodeNumber(words.length) + words.join('');

/** The words of an array whose length is known, and whose entries are of a fixed size. Anything else is refused. */
function decodeWords(returnData: string, count: number, wordsPerEntry: number): string[] {
  const size = (2 + count * wordsPerEntry) * WORD_DIGITS;
  if (returnData.length !== size || !returnData.startsWith(encodeNumber(32) + encodeNumber(count)))
    throw new MalformedReturnDataError(`the registry answered no list of ${count} entries`);
  const words: string[] = [];
  for (let at = 2 * WORD_DIGITS; at < size; at += WORD_DIGITS)
    words.push(returnData.slice(at, at + WORD_DIGITS).toLowerCase());
  return words;
}

/** Type, delegate, vault, rights, contract, token id and amount. */
const DELEGATION_WORDS = 7;
const TYPES: readonly Delegation['type'][] = ['none', 'all', 'contract', 'other', 'other', 'other'];

function toDelegation(hash: string, words: readonly string[]): Delegation {
  const [typeWord = '', delegate = '', vault = '', rights = '', contract = ''] = words;
  const type = TYPES[Number(`0x${typeWord}`)];
  // A hash says its type, and stands for nothing else: a revoked one for nothing.
  if (type === undefined || (type !== 'none' && typeWord.slice(-2) !== hash.slice(-2)))
    throw new MalformedReturnDataError('the registry answered a delegation of another type');
  return {
    type,
    delegate: toAddress(delegate),
    vault: toAddress(vault),
    contract: toAddress(contract),
    hasRights: rights !== NO_RIGHTS,
  };
}

function toAddress(word: string): EvmAddress {
  if (!/^0{24}[0-9a-f]{40}$/.test(word))
    throw new MalformedReturnDataError('the registry answered more than an address');
  return toLowerCaseAddress(`0x${word.slice(24)}`);
}

function decodeFlag(returnData: string): boolean {
  const flag = decodeUint256(returnData);
  if (flag > 1n) throw new MalformedReturnDataError('the registry answered neither true nor false');
  return flag === 1n;
}
