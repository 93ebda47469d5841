import { isSolanaSignature, recoverSigner } from '@app/chain/sign-in';
import { Injectable } from '@nestjs/common';
import type { CheckAsker } from '../ethereum-login/check-holders.js';
import { ContractWallets } from '../ethereum-login/contract-wallets.js';
import { DEFAULT_CHAIN } from '../ethereum-login/write-message.js';
import { contractWallet, plainWallet, solanaWallet, type Wallet } from '../users/wallet.js';
import type { LinkAccount } from './read-link-account.js';
import { badChain, noNodesOfChain } from './wallet-linking.errors.js';

export interface SignedLink {
  /** On whose account nodes are asked. */
  readonly asker: CheckAsker;
  readonly account: LinkAccount;
  readonly message: string;
  readonly signature: string;
}

/** Which wallet signed a message: a plain key, a contract account on its chain, or one of Solana. */
@Injectable()
export class LinkProof {
  constructor(private readonly contracts: ContractWallets) {}

  /** A plain key is linked on chains that we have no nodes of, but not on one that nobody knows. @throws AppError 400 */
  checkChain(account: LinkAccount): void {
    if (account.family !== 'evm' || account.chainId === undefined) return;
    if (!this.contracts.knows(account.chainId)) throw badChain('is a chain that is not known here');
  }

  /**
   * Undefined when it was not the account.
   * @throws AppError where nobody found out: 503 when no node can be asked about a contract account, 400 when there is none
   * of the chain, 429
   */
  async find({ asker, account, message, signature }: SignedLink): Promise<Wallet | undefined> {
    const { address } = account;
    if (account.family === 'solana')
      return isSolanaSignature({ message, address, signature })
        ? solanaWallet(account.reference, address)
        : undefined;
    const { chainId } = account;
    if (recoverSigner(message, signature) === address)
      return plainWallet(chainId ?? DEFAULT_CHAIN, account.address);
    if (chainId === undefined) return undefined;
    if (!this.contracts.canAsk(chainId)) throw noNodesOfChain();
    const isSigned = await this.contracts.isSignedBy(asker, {
      chainId,
      account: address,
      message,
      signature,
    });
    return isSigned ? contractWallet(chainId, account.address) : undefined;
  }
}
