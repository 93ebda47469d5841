import {
  ETHEREUM_CREDENTIAL_LIFETIME_MS,
  isValidSignInNonce,
  NONCE_PLACEHOLDER,
  parseEthereumCredential,
  parseEthereumCredentialGrant,
} from '@app/auth';
import {
  formatSignInMessage,
  parseSignInMessage,
  recoverSigner,
  type SignInMessage,
} from '@app/chain/sign-in';
import { type EthereumCredentialRequest, type EvmAddress, toAllCredentialsId } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { PublicUrlsConfig } from '../../common/identity.config.js';
import { CredentialTransactionService } from '../../tokens/change-feed/credential-transaction.service.js';
import { TokenKeysService } from '../../tokens/keys/token-keys.service.js';
import { RevocationsService } from '../../tokens/revocations/revocations.service.js';
import { createContractWallet, createEoaWallet, toUserId } from '../../users/wallets/wallet.js';
import { ContractWalletService } from '../../wallet-signatures/contract-wallet.service.js';
import { loadDatabaseTime } from './load-database-time.js';

/** A credential message that this service issued. */
interface ParsedCredential {
  readonly message: SignInMessage;
  readonly clientId: string;
  readonly expiresAt: Date;
}

/** Recognizes credential messages of this service by their nonce. Does not check the signature. */
@Injectable()
export class CredentialParser {
  constructor(
    private readonly keys: TokenKeysService,
    private readonly urls: PublicUrlsConfig,
  ) {}

  parse(text: string): ParsedCredential | undefined {
    const parsed = parseSignInMessage(text);
    if (!parsed.ok) return undefined;
    const { message } = parsed;
    const { nonce, expirationTime = '', resources = [] } = message;
    const clientId = parseEthereumCredentialGrant(resources, this.urls.PUBLIC_URL)?.clientId;
    if (clientId === undefined) return undefined;
    const issued = formatSignInMessage({ ...message, nonce: NONCE_PLACEHOLDER });
    const binding = { purpose: 'credential', clientId, text: issued } as const;
    const isIssuedHere = isValidSignInNonce(binding, nonce, (kid) => this.keys.findNonceKey(kid));
    return isIssuedHere ? { message, clientId, expiresAt: new Date(expirationTime) } : undefined;
  }

  /** @param credential the value after `Ethereum` in the header */
  parseHeader(credential: string): ParsedCredential | undefined {
    const parts = parseEthereumCredential(credential);
    return parts && this.parse(parts.text);
  }
}

/** Credentials that consist of a message signed by a wallet (`Authorization: Ethereum`). */
@Injectable()
export class EthereumCredentialService {
  constructor(
    private readonly parser: CredentialParser,
    private readonly contracts: ContractWalletService,
    private readonly writes: CredentialTransactionService,
    private readonly revocations: RevocationsService,
  ) {}

  /**
   * Whether the account named in a credential signed it. The gateway has made all checks that need no node.
   * @throws AppError 503 if no node answers, 429 over the limit of contract checks
   */
  async isValidSignature({ message: text, signature }: EthereumCredentialRequest): Promise<boolean> {
    const credential = this.parser.parse(text);
    if (!credential) return false;
    const { address, chainId } = credential.message;
    if (recoverSigner(text, signature) === address) return true;
    const claim = { chainId, account: address, message: text, signature };
    return this.contracts.isValidSignature({ clientId: credential.clientId, isUser: true }, claim);
  }

  /** Does not check the signature: an unsigned credential may be revoked, too. */
  parse(credential: string): ParsedCredential | undefined {
    return this.parser.parseHeader(credential);
  }

  /** Two candidates: the user with the private key of the address, and the user of a contract at it. */
  listPossibleUserIds({ message: { address, chainId } }: ParsedCredential): string[] {
    const account = address as EvmAddress;
    return [createEoaWallet(chainId, account), createContractWallet(chainId, account)].map(toUserId);
  }

  async revoke({ message, expiresAt }: ParsedCredential): Promise<void> {
    await this.writes.transaction((manager) =>
      this.revocations.revoke(manager, [{ id: message.nonce, expiresAt }]),
    );
  }

  /** Revokes all credentials that the user has signed for a client application until now. */
  async revokeAllForClient(userId: string, clientId: string): Promise<void> {
    await this.writes.transaction(async (manager) => {
      const revokedAt = await loadDatabaseTime(manager);
      const expiresAt = new Date(revokedAt.getTime() + ETHEREUM_CREDENTIAL_LIFETIME_MS);
      await this.revocations.revoke(manager, [{ id: toAllCredentialsId(userId, clientId), expiresAt }]);
    });
  }
}
