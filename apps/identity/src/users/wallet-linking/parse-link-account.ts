import { account, toChecksumAddress, type EvmAddress } from '@app/dto';
import { findSolanaChainByReference, toSolanaReference } from '../../wallet-signatures/solana-chains.js';
import { ZERO_ADDRESS } from '../../wallet-signatures/evm-accounts.js';
import { invalidAddress, invalidChain } from './wallet-linking.errors.js';

/** Which account a request says it is about. */
export type LinkAccount =
  | {
      readonly family: 'evm';
      /** In the mixed case of ERC-55. */
      readonly address: EvmAddress;
      /** Undefined where nobody said it: then only a plain key can be meant. */
      readonly chainId: number | undefined;
    }
  | {
      readonly family: 'solana';
      readonly address: string;
      /** Of CAIP-2. */
      readonly reference: string;
    };

/** A chain, and how the field that names it is refused. */
interface ChainField {
  readonly chain: string;
  readonly refuse: typeof invalidChain;
}

/** How token gating numbers them (contract.md section 5). */
const SOLANA_CHAIN_IDS: ReadonlyMap<string, string> = new Map([
  ['8000000000101', toSolanaReference('mainnet')],
  ['8000000000102', toSolanaReference('testnet')],
  ['8000000000103', toSolanaReference('devnet')],
]);

/**
 * @param text an address or a CAIP-10 id
 * @param chain a number in decimal digits, the reference of CAIP-2 or the whole of it
 * @throws AppError 400 that names the field
 */
export function parseLinkAccount(text: string, chain: string | undefined): LinkAccount {
  const read = account.safeParse(text);
  if (!read.success) throw invalidAddress(read.error.issues[0]?.message ?? 'is no address');
  const [, named] = text.split(':');
  const said = [
    { chain: named, refuse: invalidAddress },
    { chain, refuse: invalidChain },
  ].filter((one): one is ChainField => one.chain !== undefined);
  switch (read.data.family) {
    case 'evm': {
      const address = toChecksumAddress(read.data.address);
      if (address === ZERO_ADDRESS) throw invalidAddress('is an address that nobody can sign for');
      return { family: 'evm', address, chainId: requireSameChain(said.map(parseEvmChain)) };
    }
    case 'solana': {
      const reference = requireSameChain(said.map(parseSolanaChain)) ?? toSolanaReference('mainnet');
      return { family: 'solana', address: read.data.address, reference };
    }
    case 'user':
      throw invalidAddress('must be an EVM address, a Solana address or a CAIP-10 account id');
  }
}

function requireSameChain<T>([first, ...others]: readonly T[]): T | undefined {
  if (others.some((one) => one !== first)) throw invalidChain('is another chain than the address names');
  return first;
}

function parseEvmChain({ chain, refuse }: ChainField): number {
  const [, digits] = /^(?:eip155:)?([1-9]\d{0,15})$/.exec(chain) ?? [];
  const chainId = Number(digits);
  if (!Number.isSafeInteger(chainId))
    throw refuse('must be the number of an EVM chain, such as 1 or eip155:1');
  return chainId;
}

function parseSolanaChain({ chain, refuse }: ChainField): string {
  const reference = SOLANA_CHAIN_IDS.get(chain) ?? chain.replace(/^solana:/, '');
  if (!findSolanaChainByReference(reference))
    throw refuse('must be Solana mainnet, testnet or devnet (CAIP-30, or 8000000000101 to …103)');
  return reference;
}
