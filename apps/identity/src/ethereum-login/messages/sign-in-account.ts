import { account, toChecksumAddress, type EvmAddress } from '@app/dto';
import { invalidAccount } from '../ethereum-login.errors.js';
import { ZERO_ADDRESS } from '../../wallet-signatures/evm-accounts.js';
import { findSolanaChainByReference, type SolanaChain } from '../../wallet-signatures/solana-chains.js';

/** Who wants to sign in, as the request says. */
export type SignInAccount =
  | {
      readonly namespace: 'eip155';
      /** Undefined where a plain address was given. */
      readonly chainId: number | undefined;
      /** In the mixed case of ERC-55. */
      readonly address: EvmAddress;
    }
  | { readonly namespace: 'solana'; readonly chain: SolanaChain; readonly address: string };

/** A CAIP-10 id or a plain address. @throws AppError 400 that names `accountId` */
export function parseSignInAccount(text: string): SignInAccount {
  const read = account.safeParse(text);
  if (!read.success) throw invalidAccount(read.error.issues[0]?.message ?? 'is no account');
  const [, chain] = text.split(':');
  switch (read.data.family) {
    case 'evm':
      if (read.data.address === ZERO_ADDRESS) throw invalidAccount('is an address that nobody can sign for');
      return {
        namespace: 'eip155',
        chainId: chainIdOf(chain),
        address: toChecksumAddress(read.data.address),
      };
    case 'solana':
      return { namespace: 'solana', chain: parseSolanaChain(chain), address: read.data.address };
    case 'user':
      throw invalidAccount('must be a CAIP-10 id or an address');
  }
}

function chainIdOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const chainId = Number(text);
  if (!Number.isSafeInteger(chainId)) throw invalidAccount('names a chain that cannot be');
  return chainId;
}

/** @param reference CAIP-2; the main chain when undefined. @throws AppError 400 for an unknown chain */
function parseSolanaChain(reference: string | undefined): SolanaChain {
  if (reference === undefined) return 'mainnet';
  const chain = findSolanaChainByReference(reference);
  if (!chain)
    throw invalidAccount('names a Solana chain that is none of mainnet, testnet and devnet (CAIP-30)');
  return chain;
}
