import sha3 from 'js-sha3';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';

/** `0x` and 40 hex digits, by default in lower case. */
export type EvmAddress = `0x${string}`;

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const SINGLE_CASE_ADDRESS = /^0x(?:[0-9a-f]{40}|[0-9A-F]{40})$/;

/** Hashing is the most expensive part of validation, and the same contracts recur. */
const checksumCache = new LRUCache<string, boolean>({ max: 5_000 });

/**
 * Converts an address in any case to the mixed-case checksum of ERC-55. A fresh account takes 4 µs with js-sha3, where
 * @noble/hashes takes 18 µs, and hashing was the largest part of a check's validation.
 * @param prefix of EIP-1191
 */
export function toChecksumAddress(address: string, prefix = ''): EvmAddress {
  const digits = address.slice(2).toLowerCase();
  const hash = sha3.keccak256.array(prefix + digits);
  let checksummed = '';
  for (let index = 0; index < digits.length; index += 1) {
    const byte = hash[index >> 1] ?? 0;
    const nibble = index % 2 === 0 ? byte >> 4 : byte & 0x0f;
    const digit = digits.charAt(index);
    checksummed += nibble >= 8 ? digit.toUpperCase() : digit;
  }
  return `0x${checksummed}`;
}

export function hasValidChecksum(address: string): boolean {
  let isValid = checksumCache.get(address);
  if (isValid === undefined) {
    isValid = toChecksumAddress(address) === address;
    checksumCache.set(address, isValid);
  }
  return isValid;
}

/** Rootstock and its test network, whose wallets write checksums of EIP-1191, which hash the chain id too. */
export const EIP_1191_CHAIN_IDS: readonly number[] = [30, 31];

/**
 * An error message, or undefined for a valid EVM address. An address in a single case has no checksum.
 * @param chainIds the chains whose checksums of EIP-1191 are right, beside that of ERC-55
 */
export function findAddressProblem(text: string, chainIds: readonly number[] = []): string | undefined {
  if (!ADDRESS.test(text)) return 'must be an address: 0x and 40 hex digits';
  if (SINGLE_CASE_ADDRESS.test(text) || hasValidChecksum(text)) return undefined;
  if (chainIds.some((id) => toChecksumAddress(text, `${id}0x`) === text)) return undefined;
  return 'has a wrong checksum (ERC-55, or EIP-1191 of its chain): a letter or its case is mistyped';
}

/** Validates an EVM address and converts it to lower case. @param chainIds as for findAddressProblem */
export const createEvmAddress = (...chainIds: readonly number[]) =>
  z.string('is required: the address of the contract').transform((text, context): EvmAddress => {
    const problem = findAddressProblem(text, chainIds);
    if (problem === undefined) return text.toLowerCase() as EvmAddress;
    context.addIssue({ code: 'custom', message: problem });
    return z.NEVER;
  });

/** An EVM address where no chain is named: its checksum is that of ERC-55. */
export const evmAddress = createEvmAddress();
