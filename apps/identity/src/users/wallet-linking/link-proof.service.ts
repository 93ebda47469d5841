import { isValidSolanaSignature, recoverSigner } from '@app/chain/sign-in';
import { Injectable } from '@nestjs/common';
import type { CheckRequester } from '../../wallet-signatures/budget-key.queries.js';
import { ContractWalletService } from '../../wallet-signatures/contract-wallet.service.js';
import { DEFAULT_CHAIN_ID } from '../../wallet-signatures/evm-accounts.js';
import { createContractWallet, createEoaWallet, createSolanaWallet, type Wallet } from '../wallets/wallet.js';
import type { LinkAccount } from './parse-link-account.js';
import { invalidChain, chainNotSupported } from './wallet-linking.errors.js';

export interface SignedLink {
  /** On whose account nodes are asked. */
  readonly requester: CheckRequester;
  readonly account: LinkAccount;
  readonly message: string;
  readonly signature: string;
}

/** Which wallet signed a message: a plain key, a contract account on its chain, or one of Solana. */
@Injectable()
export class LinkProofService {
  constructor(private readonly contracts: ContractWalletService) {}

  /** A plain key is linked on chains that we have no nodes of, but not on one that nobody knows. @throws AppError 400 */
  checkChain(account: LinkAccount): void {
    if (account.family !== 'evm' || account.chainId === undefined) return;
    if (!this.contracts.isKnownChain(account.chainId))
      throw invalidChain('is a chain that is not known here');
  }

  /**
   * Undefined when it was not the account.
   * @throws AppError where nobody found out: 503 when no node can be asked about a contract account, 400 when there is none
   * of the chain, 429
   */
  async findSigningWallet({
    requester,
    account,
    message,
    signature,
  }: SignedLink): Promise<Wallet | undefined> {
    const { address } = account;
    if (account.family === 'solana')
      return isValidSolanaSignature({ message, address, signature })
        ? createSolanaWallet(account.reference, address)
        : undefined;
    const { chainId } = account;
    if (recoverSigner(message, signature) === address)
      return createEoaWallet(chainId ?? DEFAULT_CHAIN_ID, account.address);
    if (chainId === undefined) return undefined;
    if (!this.contracts.hasNodes(chainId)) throw chainNotSupported();
    const isSigned = await this.contracts.isValidSignature(requester, {
      chainId,
      account: address,
      message,
      signature,
    });
    return isSigned ? createContractWallet(chainId, account.address) : undefined;
  }
}
