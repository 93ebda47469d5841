import { parseSignInMessage, recoverSigner } from '@app/chain/sign-in';
import type { EvmAddress } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { createContractWallet, createEoaWallet } from '../../users/wallets/wallet.js';
import { ContractWalletService } from '../../wallet-signatures/contract-wallet.service.js';
import { chainNotSupported } from '../ethereum-login.errors.js';
import type { SignInAccount } from '../messages/sign-in-account.js';
import type { SignedChallenge, VerifiedWallet } from './signed-challenge.js';
import { ZERO_ADDRESS } from '../../wallet-signatures/evm-accounts.js';

/** Who signed a message of EIP-4361: a plain key, or a contract account on the message's chain. */
@Injectable()
export class EthereumSignatureVerifier {
  constructor(private readonly contracts: ContractWalletService) {}

  /** @throws AppError where it takes a node to say: 503 when none can be asked, 401 when there is none of the chain, 429 */
  async verify({
    requester,
    message,
    signature,
    account,
  }: SignedChallenge): Promise<VerifiedWallet | undefined> {
    const parsed = parseSignInMessage(message);
    if (!parsed.ok) return undefined;
    const { address, chainId, resources = [] } = parsed.message;
    if (account && !isExpectedAccount(account, address, chainId)) return undefined;
    const expected = address === ZERO_ADDRESS ? account?.address : address;
    const signer = recoverSigner(message, signature);
    if (signer && (expected === undefined || signer === expected))
      return { wallet: createEoaWallet(chainId, signer), resources };
    // Without a name there is no contract to ask.
    if (expected === undefined) return undefined;
    if (!this.contracts.hasNodes(chainId)) throw chainNotSupported();
    const question = { chainId, account: expected as EvmAddress, message, signature };
    if (!(await this.contracts.isValidSignature(requester, question))) return undefined;
    return { wallet: createContractWallet(chainId, question.account), resources };
  }
}

/** Whether an answer names nobody else than the message does, and no other chain. */
function isExpectedAccount(account: SignInAccount, address: string, chainId: number): boolean {
  if (account.namespace !== 'eip155') return false;
  const isOnChain = account.chainId === undefined || account.chainId === chainId;
  return isOnChain && (address === ZERO_ADDRESS || account.address === address);
}
