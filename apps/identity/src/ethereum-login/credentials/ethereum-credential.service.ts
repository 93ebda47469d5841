import { ETHEREUM_CREDENTIAL_LIFETIME_MS } from '@app/auth';
import { recoverSigner } from '@app/chain/sign-in';
import { toAllCredentialsId, type EthereumCredentialRequest, type EvmAddress } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { CredentialTransactionService } from '../../tokens/change-feed/credential-transaction.service.js';
import { RevocationsService } from '../../tokens/revocations/revocations.service.js';
import { createContractWallet, createEoaWallet, toUserId } from '../../users/wallets/wallet.js';
import { ContractWalletService } from '../../wallet-signatures/contract-wallet.service.js';
import { loadDatabaseTime } from './load-database-time.js';
import { type ParsedCredential, CredentialParser } from './credential-parser.js';

/** Credentials that wallets signed for themselves (`Authorization: Ethereum`). */
@Injectable()
export class EthereumCredentialService {
  constructor(
    private readonly reader: CredentialParser,
    private readonly contracts: ContractWalletService,
    private readonly writes: CredentialTransactionService,
    private readonly revocations: RevocationsService,
  ) {}

  /**
   * Whether the account that a credential names signed it. What can be known without a node the gateway has checked;
   * only messages of ours are worth a question to a node. @throws AppError 503 when no node can be asked, 429
   */
  async isValidSignature({ message: text, signature }: EthereumCredentialRequest): Promise<boolean> {
    const found = this.reader.parse(text);
    if (!found) return false;
    const { address, chainId } = found.message;
    if (recoverSigner(text, signature) === address) return true;
    const question = { chainId, account: address, message: text, signature };
    return this.contracts.isValidSignature({ clientId: found.clientId }, question);
  }

  /** One of ours, by its message. Whether anybody signed it is not asked: to end it, nobody has to have. */
  parse(credential: string): ParsedCredential | undefined {
    return this.reader.parseHeader(credential);
  }

  /** Whose it can be: that of the key, or of the contract at this address. */
  listPossibleUserIds({ message: { address, chainId } }: ParsedCredential): string[] {
    const account = address as EvmAddress;
    return [createEoaWallet(chainId, account), createContractWallet(chainId, account)].map(toUserId);
  }

  /** Ends one before its time. */
  async revoke({ message, expiresAt }: ParsedCredential): Promise<void> {
    await this.writes.transaction((manager) =>
      this.revocations.revoke(manager, [{ id: message.nonce, expiresAt }]),
    );
  }

  /** Ends all that a user signed for a client application until now. */
  async revokeAllForClient(userId: string, clientId: string): Promise<void> {
    await this.writes.transaction(async (manager) => {
      const madeAt = await loadDatabaseTime(manager);
      const expiresAt = new Date(madeAt.getTime() + ETHEREUM_CREDENTIAL_LIFETIME_MS);
      await this.revocations.revoke(manager, [{ id: toAllCredentialsId(userId, clientId), expiresAt }]);
    });
  }
}
