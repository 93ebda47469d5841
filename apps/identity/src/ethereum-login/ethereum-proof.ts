import { parseSignInMessage, recoverSigner } from '@app/chain/sign-in';
import type { EvmAddress } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { contractWallet, plainWallet } from '../users/wallet.js';
import { ContractWallets } from './contract-wallets.js';
import { noNodesOfChain } from './ethereum-login.errors.js';
import type { SignInAccount } from './sign-in-account.js';
import type { SignedChallenge, SignedWallet } from './signed-challenge.js';
import { NOBODY } from './write-message.js';

/** Who signed a message of EIP-4361: a plain key, or a contract account on the message's chain. */
@Injectable()
export class EthereumProof {
  constructor(private readonly contracts: ContractWallets) {}

  /** @throws AppError where it takes a node to say: 503 when none can be asked, 401 when there is none of the chain, 429 */
  async find({ asker, message, signature, account }: SignedChallenge): Promise<SignedWallet | undefined> {
    const parsed = parseSignInMessage(message);
    if (!parsed.ok) return undefined;
    const { address, chainId, resources = [] } = parsed.message;
    if (account && !isMeant(account, address, chainId)) return undefined;
    const expected = address === NOBODY ? account?.address : address;
    const signer = recoverSigner(message, signature);
    if (signer && (expected === undefined || signer === expected))
      return { wallet: plainWallet(chainId, signer), resources };
    // Without a name there is no contract to ask.
    if (expected === undefined) return undefined;
    if (!this.contracts.canAsk(chainId)) throw noNodesOfChain();
    const question = { chainId, account: expected as EvmAddress, message, signature };
    if (!(await this.contracts.isSignedBy(asker, question))) return undefined;
    return { wallet: contractWallet(chainId, question.account), resources };
  }
}

/** Whether an answer names nobody else than the message does, and no other chain. */
function isMeant(account: SignInAccount, address: string, chainId: number): boolean {
  if (account.namespace !== 'eip155') return false;
  const isOnChain = account.chainId === undefined || account.chainId === chainId;
  return isOnChain && (address === NOBODY || account.address === address);
}
