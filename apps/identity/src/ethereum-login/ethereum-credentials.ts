import { CREDENTIAL_LIFE_MS } from '@app/auth';
import { recoverSigner } from '@app/chain/sign-in';
import { allCredentials, type EthereumCredentialQuestion, type EvmAddress } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { CredentialWrites } from '../credentials/credential-writes.js';
import { Revocations } from '../revocations/revocations.js';
import { contractWallet, plainWallet, userOf } from '../users/wallet.js';
import { ContractWallets } from './contract-wallets.js';
import { databaseTime } from './credential-time.js';
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
   * only messages of ours are worth a question to a node. @throws AppError 503 when no node can be asked, 429
   */
  async isSigned({ message: text, signature }: EthereumCredentialQuestion): Promise<boolean> {
    const found = this.reader.read(text);
    if (!found) return false;
    const { address, chainId } = found.message;
    if (recoverSigner(text, signature) === address) return true;
    const question = { chainId, account: address, message: text, signature };
    return this.contracts.isSignedBy({ clientId: found.clientId }, question);
  }

  /** One of ours, by its message. Whether anybody signed it is not asked: to end it, nobody has to have. */
  read(credential: string): CredentialMessage | undefined {
    return this.reader.readHeader(credential);
  }

  /** Whose it can be: that of the key, or of the contract at this address. */
  usersOf({ message: { address, chainId } }: CredentialMessage): string[] {
    const account = address as EvmAddress;
    return [plainWallet(chainId, account), contractWallet(chainId, account)].map(userOf);
  }

  /** Ends one before its time. */
  async end({ message, expiresAt }: CredentialMessage): Promise<void> {
    await this.writes.transaction((manager) =>
      this.revocations.revoke(manager, [{ id: message.nonce, expiresAt }]),
    );
  }

  /** Ends all that a user signed for a client application until now. */
  async endAllOf(userId: string, clientId: string): Promise<void> {
    await this.writes.transaction(async (manager) => {
      const madeAt = await databaseTime(manager);
      const expiresAt = new Date(madeAt.getTime() + CREDENTIAL_LIFE_MS);
      await this.revocations.revoke(manager, [{ id: allCredentials(userId, clientId), expiresAt }]);
    });
  }
}
