import { keccak_256 } from '@noble/hashes/sha3';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';

/** `0x` and 40 hex digits, in lower case unless said otherwise. */
export type EvmAddress = `0x${string}`;

const FORM = /^0x[0-9a-fA-F]{40}$/;
const ONE_CASE = /^0x(?:[0-9a-f]{40}|[0-9A-F]{40})$/;

/** Hashing is the dearest part of a check, and the same contracts come again and again. */
const checksums = new LRUCache<string, boolean>({ max: 5_000 });

/** The mixed case of ERC-55, which says where a letter was mistyped. For an address in any case. */
export function toChecksumAddress(address: string): EvmAddress {
  const digits = address.slice(2).toLowerCase();
  const hash = Buffer.from(keccak_256(digits)).toString('hex');
  return `0x${Array.from(digits, (digit, at) => cased(digit, hash.charAt(at))).join('')}`;
}

/** Whether an address is spelled in the mixed case of ERC-55. */
export function hasValidChecksum(address: string): boolean {
  let valid = checksums.get(address);
  if (valid === undefined) {
    valid = toChecksumAddress(address) === address;
    checksums.set(address, valid);
  }
  return valid;
}

const cased = (digit: string, hashDigit: string): string =>
  Number.parseInt(hashDigit, 16) >= 8 ? digit.toUpperCase() : digit;

/** Why a text is not an EVM address; undefined when it is one. An address in one case claims no checksum. */
export function findAddressProblem(text: string): string | undefined {
  if (!FORM.test(text)) return 'must be an address: 0x and 40 hex digits';
  if (!ONE_CASE.test(text) && !hasValidChecksum(text))
    return 'has a wrong checksum (ERC-55): a letter or its case is mistyped';
  return undefined;
}

/** An EVM address in any accepted case, read as lower case. */
export const evmAddress = z
  .string('is required: the address of the contract')
  .transform((text, context): EvmAddress => {
    const fault = findAddressProblem(text);
    if (fault === undefined) return text.toLowerCase() as EvmAddress;
    context.addIssue({ code: 'custom', message: fault });
    return z.NEVER;
  });
