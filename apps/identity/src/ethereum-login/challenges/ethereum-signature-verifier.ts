import { parseSignInMessageWithSiwe, recoverSigner } from '@app/chain/sign-in';
import type { EvmAddress } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { createContractWallet, createEoaWallet, type Wallet } from '../../users/wallets/wallet.js';
import { ContractWalletService } from '../../wallet-signatures/contract-wallet.service.js';
import { chainNotSupported } from '../ethereum-login.errors.js';
import type { SignInAccount } from '../messages/sign-in-message.js';
import { ZERO_ADDRESS } from '../../wallet-signatures/sign-in-chains.js';
import type { CheckRequester } from '../../wallet-signatures/budget-key.queries.js';

/** A challenge's message with its signature. */
export interface SignedChallenge {
  readonly requester: CheckRequester;
  readonly message: string;
  readonly signature: string;
  /** The account that the login request names, if any. */
  readonly account: SignInAccount | undefined;
}

export interface VerifiedWallet {
  readonly wallet: Wallet;
  readonly resources: readonly string[];
}

/** Verifies signatures of EIP-4361 messages by private keys and by contract wallets on the message's chain. */
@Injectable()
export class EthereumSignatureVerifier {
  constructor(private readonly contracts: ContractWalletService) {}

  /**
   * @returns undefined for an invalid signature
   * @throws AppError for a contract wallet: 503 if no node answers, 401 on a chain without nodes, 429 over the limit of checks
   */
  async verify({
    requester,
    message,
    signature,
    account,
  }: SignedChallenge): Promise<VerifiedWallet | undefined> {
    const parsed = await parseSignInMessageWithSiwe(message);
    if (!parsed.ok) return undefined;
    const { address, chainId, resources = [] } = parsed.message;
    if (account && !isExpectedAccount(account, address, chainId)) return undefined;
    const isNamed = address !== ZERO_ADDRESS;
    const expected = isNamed ? address : account?.address;
    const signer = recoverSigner(message, signature);
    if (signer && (expected === undefined || signer === expected))
      return { wallet: createEoaWallet(chainId, signer), resources };
    // The user of a contract has not agreed to a login as this contract, unless the signed message names it.
    if (!isNamed) return undefined;
    if (!this.contracts.hasNodes(chainId)) throw chainNotSupported();
    const claim = { chainId, account: address as EvmAddress, message, signature };
    if (!(await this.contracts.isValidSignature(requester, claim))) return undefined;
    return { wallet: createContractWallet(chainId, claim.account), resources };
  }
}

/** Whether the account of the login request matches the message's address and chain. */
function isExpectedAccount(account: SignInAccount, address: string, chainId: number): boolean {
  if (account.namespace !== 'eip155') return false;
  const isOnChain = account.chainId === undefined || account.chainId === chainId;
  return isOnChain && (address === ZERO_ADDRESS || account.address === address);
}
