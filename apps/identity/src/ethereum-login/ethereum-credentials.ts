import { recoverSigner, type SignInMessage } from '@app/chain/sign-in';
import type { EthereumCredentialQuestion, EvmAddress } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { CredentialWrites } from '../credentials/credential-writes.js';
import { Revocations } from '../revocations/revocations.js';
import { contractWallet, plainWallet, userOf } from '../users/wallet.js';
import { ContractWallets } from './contract-wallets.js';
import { type CredentialMessage, CredentialReader } from './credential-reader.js';

/** Credentials that wallets signed for themselves (`Authorization: Ethereum`). */
@Injectable()
export class EthereumCredentials {
  constructor(
    private readonly reader: CredentialReader,
    private readonly contracts: ContractWallets,
    private readonly writes: CredentialWrites,
    private readonly revocations: Revocations,
  ) {}

  /**
   * Whether the account that a credential names signed it. What can be known without a node the gateway has checked;
   * only messages of ours are worth a question to a node. @throws AppError 503 when no node can be asked
   */
  async isSigned({ message: text, signature }: EthereumCredentialQuestion): Promise<boolean> {
    const found = this.reader.read(text);
    if (!found) return false;
    const { address, chainId } = found.message;
    if (recoverSigner(text, signature) === address) return true;
    return this.contracts.isSignedBy({ chainId, account: address, message: text, signature });
  }

  /**
   * Ends a user's credential before its time.
   * @param credential what stands after `Ethereum` in the header. @returns false for one that is not the user's
   */
  async revokeOf(userId: string, credential: string): Promise<boolean> {
    const found = this.reader.readHeader(credential);
    if (!found || !usersOf(found.message).includes(userId)) return false;
    await this.end(found);
    return true;
  }

  /** Ends a credential that was made for this client application. @returns false for any other text (RFC 7009) */
  async revoke(clientId: string, credential: string): Promise<boolean> {
    const found = this.reader.readHeader(credential);
    if (found?.clientId !== clientId) return false;
    await this.end(found);
    return true;
  }

  private async end({ message, expiresAt }: CredentialMessage): Promise<void> {
    await this.writes.transaction((manager) =>
      this.revocations.revoke(manager, [{ id: message.nonce, expiresAt }]),
    );
  }
}

/** Whose credential it can be: that of the key, or of the contract at this address. */
function usersOf({ address, chainId }: SignInMessage): string[] {
  const account = address as EvmAddress;
  return [plainWallet(chainId, account), contractWallet(chainId, account)].map(userOf);
}
