import { Module } from '@nestjs/common';
import { PublicUrlsConfig } from '../common/identity.config.js';
import { WalletSignaturesModule } from '../wallet-signatures/wallet-signatures.module.js';
import { AeTokenQueries } from './id-tokens/ae-tokens.queries.js';
import { AeTokenService, IdTokensService } from './id-tokens/ae-token.service.js';
import { SignInChallengeQueries } from './challenges/sign-in-challenges.queries.js';
import { ChallengesService } from './challenges/challenges.service.js';
import {
  ContractCredentialsController,
  EthereumCredentialController,
  EthereumLoginController,
} from './ethereum-login.controller.js';
import { CredentialMessageService } from './credentials/credential-message.service.js';
import { CredentialParser, EthereumCredentialService } from './credentials/ethereum-credential.service.js';
import { EthereumSignatureVerifier } from './challenges/ethereum-signature-verifier.js';
import { UserCredentialService } from './credentials/user-credential.service.js';
import { WalletLoginService } from './challenges/wallet-login.service.js';
import { WalletTokenService } from './id-tokens/wallet-token.service.js';
import { TokensModule } from '../tokens/tokens.module.js';
import { UsersModule } from '../users/users.module.js';

@Module({
  imports: [TokensModule, UsersModule, WalletSignaturesModule],
  controllers: [EthereumLoginController, EthereumCredentialController, ContractCredentialsController],
  providers: [
    PublicUrlsConfig,
    AeTokenQueries,
    AeTokenService,
    SignInChallengeQueries,
    ChallengesService,
    CredentialMessageService,
    CredentialParser,
    EthereumCredentialService,
    EthereumSignatureVerifier,
    IdTokensService,
    UserCredentialService,
    WalletLoginService,
    WalletTokenService,
  ],
  exports: [AeTokenService, UserCredentialService, WalletLoginService, WalletTokenService],
})
export class EthereumLoginModule {}
