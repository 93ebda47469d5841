import { isValidSolanaSignature, recoverSigner } from '@app/chain/sign-in';
import { Injectable } from '@nestjs/common';
import type { CheckRequester } from '../../wallet-signatures/budget-key.queries.js';
import {
  CONTRACT_CHALLENGE_LIFETIME_MS,
  KEY_CHALLENGE_LIFETIME_MS,
} from '../../wallet-signatures/challenge-lifetimes.js';
import { ContractWalletService } from '../../wallet-signatures/contract-wallet.service.js';
import { DEFAULT_CHAIN_ID, DEFAULT_SOLANA_REFERENCE } from '../../wallet-signatures/sign-in-chains.js';
import { createContractWallet, createEoaWallet, createSolanaWallet, type Wallet } from '../wallets/wallet.js';
import type { LinkAccount } from './parse-link-account.js';
import { invalidChain, chainNotSupported } from './wallet-linking.errors.js';

export interface SignedLink {
  /** The requester whose budget pays for a contract-wallet check. */
  readonly requester: CheckRequester;
  readonly account: LinkAccount;
  readonly message: string;
  readonly signature: string;
  /** The request's field with the signature, which errors name. */
  readonly signatureField: 'signedMessage' | 'signature';
}

/** Determines the wallet that signed a message: an externally owned account, a contract wallet or a Solana key. */
@Injectable()
export class LinkProofService {
  constructor(private readonly contracts: ContractWalletService) {}

  /** Accepts every registered chain: an externally owned account needs no nodes. @throws AppError 400 for others */
  checkChain(account: LinkAccount): void {
    if (account.family !== 'evm' || account.chainId === undefined) return;
    if (!this.contracts.isKnownChain(account.chainId)) throw invalidChain('is not a known chain');
  }

  /** The time that the message names: a contract account may answer any message but one that names an account which is none. */
  getChallengeLifetimeMs(account: LinkAccount | undefined): number {
    const canBeContract =
      account === undefined ||
      (account.family === 'evm' && account.chainId !== undefined && this.contracts.hasNodes(account.chainId));
    return canBeContract ? CONTRACT_CHALLENGE_LIFETIME_MS : KEY_CHALLENGE_LIFETIME_MS;
  }

  /**
   * Undefined when the account did not sign the message.
   * @throws AppError when that cannot be determined: 503 when no node answers, 400 when the chain has none configured, 429
   * over a limit
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
        ? createSolanaWallet(account.reference ?? DEFAULT_SOLANA_REFERENCE, address)
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
