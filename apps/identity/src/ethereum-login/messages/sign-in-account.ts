import { account, toChecksumAddress, type EvmAddress } from '@app/dto';
import { invalidAccount } from '../ethereum-login.errors.js';
import { ZERO_ADDRESS } from '../../wallet-signatures/evm-accounts.js';
import { findSolanaChainByReference, type SolanaChain } from '../../wallet-signatures/solana-chains.js';

/** The account that a sign-in request names. */
export type SignInAccount =
  | {
      readonly namespace: 'eip155';
      /** Undefined for a plain address. */
      readonly chainId: number | undefined;
      /** The address in the mixed case of ERC-55. */
      readonly address: EvmAddress;
    }
  | {
      readonly namespace: 'solana';
      /** Undefined for a plain address. */
      readonly chain: SolanaChain | undefined;
      readonly address: string;
    };

/** A CAIP-10 id or a plain address. @throws AppError 400 that names `accountId` */
export function parseSignInAccount(text: string): SignInAccount {
  const parsed = account.safeParse(text);
  if (!parsed.success) throw invalidAccount(parsed.error.issues[0]?.message ?? 'is not an account');
  const [, chain] = text.split(':');
  switch (parsed.data.family) {
    case 'evm':
      if (parsed.data.address === ZERO_ADDRESS) throw invalidAccount('must not be the zero address');
      return {
        namespace: 'eip155',
        chainId: parseChainId(chain),
        address: toChecksumAddress(parsed.data.address),
      };
    case 'solana':
      return { namespace: 'solana', chain: parseSolanaChain(chain), address: parsed.data.address };
    case 'user':
      throw invalidAccount('must be a CAIP-10 account id or an address');
  }
}

function parseChainId(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const chainId = Number(text);
  if (!Number.isSafeInteger(chainId)) throw invalidAccount('must have a chain id below 2^53');
  return chainId;
}

/** @param reference CAIP-2 @throws AppError 400 for an unknown chain */
function parseSolanaChain(reference: string | undefined): SolanaChain | undefined {
  if (reference === undefined) return undefined;
  const chain = findSolanaChainByReference(reference);
  if (!chain)
    throw invalidAccount('names a Solana chain that is none of mainnet, testnet and devnet (CAIP-30)');
  return chain;
}
