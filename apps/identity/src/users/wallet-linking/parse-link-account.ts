import { account, toChecksumAddress, type EvmAddress } from '@app/dto';
import {
  DEFAULT_SOLANA_REFERENCE,
  findSolanaChainByReference,
  toSolanaReference,
  DEFAULT_CHAIN_ID,
  ZERO_ADDRESS,
} from '../../wallet-signatures/sign-in-chains.js';
import type { SignatureType } from '../../wallet-signatures/signature-type.js';
import { invalidAddress, invalidChain, invalidSignatureType } from './wallet-linking.errors.js';

/** The account that a link request names. */
export type LinkAccount =
  | {
      readonly family: 'evm';
      /** The address with the ERC-55 checksum. */
      readonly address: EvmAddress;
      /** Undefined when the request names none: then it can only be an externally owned account. */
      readonly chainId: number | undefined;
    }
  | {
      readonly family: 'solana';
      readonly address: string;
      /** CAIP-2; undefined when the request names none: a key is the same on every cluster. */
      readonly reference: string | undefined;
    };

/** A chain, and the error of the field that names it. */
interface ChainField {
  readonly chain: string;
  readonly toError: typeof invalidChain;
}

/** Token gating's numbers of the Solana clusters (contract.md section 5). */
const SOLANA_CHAIN_IDS: ReadonlyMap<string, string> = new Map([
  ['8000000000101', toSolanaReference('mainnet')],
  ['8000000000102', toSolanaReference('testnet')],
  ['8000000000103', toSolanaReference('devnet')],
]);

/**
 * @param text an address or a CAIP-10 id
 * @param chain a decimal number, a CAIP-2 reference or a whole CAIP-2 id
 * @param signatureType as at the login; signatures are told apart without it, so that a wrong one is refused and nothing else
 * @throws AppError 400 that names the field
 */
export function parseLinkAccount(
  text: string,
  chain: string | undefined,
  signatureType?: SignatureType,
): LinkAccount {
  const account = parseAccount(text, chain);
  const isOfFamily = (signatureType === 'ed25519') === (account.family === 'solana');
  if (signatureType !== undefined && !isOfFamily) throw invalidSignatureType();
  return account;
}

function parseAccount(text: string, chain: string | undefined): LinkAccount {
  const parsed = account.safeParse(text);
  if (!parsed.success) throw invalidAddress(parsed.error.issues[0]?.message ?? 'is not an address');
  const [, chainOfAddress] = text.split(':');
  const chains = [
    { chain: chainOfAddress, toError: invalidAddress },
    { chain, toError: invalidChain },
  ].filter((field): field is ChainField => field.chain !== undefined);
  switch (parsed.data.family) {
    case 'evm': {
      const address = toChecksumAddress(parsed.data.address);
      if (address === ZERO_ADDRESS) throw invalidAddress('must not be the zero address');
      return { family: 'evm', address, chainId: requireSameChain(chains.map(parseEvmChain)) };
    }
    case 'solana': {
      const reference = requireSameChain(chains.map(parseSolanaChain));
      return { family: 'solana', address: parsed.data.address, reference };
    }
    case 'user':
      throw invalidAddress('must be an EVM address, a Solana address or a CAIP-10 account id');
  }
}

function requireSameChain<T>([first, ...others]: readonly T[]): T | undefined {
  if (others.some((other) => other !== first)) throw invalidChain('differs from the chain in address');
  return first;
}

function parseEvmChain({ chain, toError }: ChainField): number {
  const [, digits] = /^(?:eip155:)?([1-9]\d{0,15})$/.exec(chain) ?? [];
  const chainId = Number(digits);
  if (!Number.isSafeInteger(chainId))
    throw toError('must be the number of an EVM chain, such as 1 or eip155:1');
  return chainId;
}

function parseSolanaChain({ chain, toError }: ChainField): string {
  const reference = SOLANA_CHAIN_IDS.get(chain) ?? chain.replace(/^solana:/, '');
  if (!findSolanaChainByReference(reference))
    throw toError('must be Solana mainnet, testnet or devnet (CAIP-30, or 8000000000101 to …103)');
  return reference;
}

/** CAIP-10, on the default chain for an address without a chain. */
export const toAccountId = (account: LinkAccount): string =>
  account.family === 'evm'
    ? `eip155:${account.chainId ?? DEFAULT_CHAIN_ID}:${account.address}`
    : `solana:${account.reference ?? DEFAULT_SOLANA_REFERENCE}:${account.address}`;
