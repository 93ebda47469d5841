import { account, checksumAddress, type EvmAddress } from '@app/dto';
import { badAccount } from './ethereum-login.errors.js';
import { solanaChainOf, type SolanaChain } from './solana-chains.js';

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

const NOBODY = /^0x0{40}$/;

/** A CAIP-10 id or a plain address. @throws AppError 400 that names `accountId` */
export function readSignInAccount(text: string): SignInAccount {
  const read = account.safeParse(text);
  if (!read.success) throw badAccount(read.error.issues[0]?.message ?? 'is no account');
  const [, chain] = text.split(':');
  switch (read.data.family) {
    case 'evm':
      if (NOBODY.test(read.data.address)) throw badAccount('is an address that nobody can sign for');
      return { namespace: 'eip155', chainId: chainIdOf(chain), address: checksumAddress(read.data.address) };
    case 'solana':
      return { namespace: 'solana', chain: solanaChainOf(chain), address: read.data.address };
    case 'user':
      throw badAccount('must be a CAIP-10 id or an address');
  }
}

function chainIdOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const chainId = Number(text);
  if (!Number.isSafeInteger(chainId)) throw badAccount('names a chain that cannot be');
  return chainId;
}
