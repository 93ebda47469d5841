import { account, checksumAddress, type EvmAddress } from '@app/dto';
import { solanaChainWith, solanaReferenceOf } from '../ethereum-login/solana-chains.js';
import { NOBODY } from '../ethereum-login/write-message.js';
import { badAddress, badChain } from './wallet-linking.errors.js';

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
interface SaidChain {
  readonly chain: string;
  readonly refuse: typeof badChain;
}

/** How token gating numbers them (contract.md section 5). */
const SOLANA_NUMBERS: ReadonlyMap<string, string> = new Map([
  ['8000000000101', solanaReferenceOf('mainnet')],
  ['8000000000102', solanaReferenceOf('testnet')],
  ['8000000000103', solanaReferenceOf('devnet')],
]);

/**
 * @param text an address or a CAIP-10 id
 * @param chain a number in decimal digits, the reference of CAIP-2 or the whole of it
 * @throws AppError 400 that names the field
 */
export function readLinkAccount(text: string, chain: string | undefined): LinkAccount {
  const read = account.safeParse(text);
  if (!read.success) throw badAddress(read.error.issues[0]?.message ?? 'is no address');
  const [, named] = text.split(':');
  const said = [
    { chain: named, refuse: badAddress },
    { chain, refuse: badChain },
  ].filter((one): one is SaidChain => one.chain !== undefined);
  switch (read.data.family) {
    case 'evm': {
      const address = checksumAddress(read.data.address);
      if (address === NOBODY) throw badAddress('is an address that nobody can sign for');
      return { family: 'evm', address, chainId: theOne(said.map(evmChain)) };
    }
    case 'solana': {
      const reference = theOne(said.map(solanaChain)) ?? solanaReferenceOf('mainnet');
      return { family: 'solana', address: read.data.address, reference };
    }
    case 'user':
      throw badAddress('must be an EVM address, a Solana address or a CAIP-10 account id');
  }
}

function theOne<T>([first, ...others]: readonly T[]): T | undefined {
  if (others.some((one) => one !== first)) throw badChain('is another chain than the address names');
  return first;
}

function evmChain({ chain, refuse }: SaidChain): number {
  const [, digits] = /^(?:eip155:)?([1-9]\d{0,15})$/.exec(chain) ?? [];
  const chainId = Number(digits);
  if (!Number.isSafeInteger(chainId))
    throw refuse('must be the number of an EVM chain, such as 1 or eip155:1');
  return chainId;
}

function solanaChain({ chain, refuse }: SaidChain): string {
  const reference = SOLANA_NUMBERS.get(chain) ?? chain.replace(/^solana:/, '');
  if (!solanaChainWith(reference))
    throw refuse('must be Solana mainnet, testnet or devnet (CAIP-30, or 8000000000101 to …103)');
  return reference;
}
