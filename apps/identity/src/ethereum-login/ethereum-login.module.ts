import { ChainConfig } from '@app/chain/evm';
import { Module } from '@nestjs/common';
import { CredentialsModule } from '../applications/credentials/credentials.module.js';
import { PublicUrlsConfig } from '../common/public-urls.config.js';
import { RevocationsModule } from '../tokens/revocations/revocations.module.js';
import { TokenKeysModule } from '../tokens/keys/token-keys.module.js';
import { UsersModule } from '../users/users.module.js';
import { AeTokenService } from './id-tokens/ae-token.service.js';
import { SignInChallengeQueries } from './challenges/sign-in-challenge.queries.js';
import { ChallengesService } from './challenges/challenges.service.js';
import { BudgetKeyQueries } from '../wallet-signatures/budget-key.queries.js';
import { ContractCheckConfig } from '../wallet-signatures/contract-check.config.js';
import { ContractCheckLimiter } from '../wallet-signatures/contract-check-limiter.js';
import { ContractCredentialsController } from './credentials/contract-credentials.controller.js';
import { ContractWalletService } from '../wallet-signatures/contract-wallet.service.js';
import { CredentialMessageService } from './credentials/credential-message.service.js';
import { CredentialParser } from './credentials/credential-parser.js';
import { EthereumCredentialController } from './credentials/ethereum-credential.controller.js';
import { EthereumCredentialService } from './credentials/ethereum-credential.service.js';
import { EthereumLoginController } from './ethereum-login.controller.js';
import { EthereumSignatureVerifier } from './challenges/ethereum-signature-verifier.js';
import { IdTokensService } from './id-tokens/id-tokens.service.js';
import { UserCredentialService } from './credentials/user-credential.service.js';
import { WalletLoginService } from './challenges/wallet-login.service.js';
import { WalletTokenService } from './id-tokens/wallet-token.service.js';

@Module({
  imports: [CredentialsModule, RevocationsModule, TokenKeysModule, UsersModule],
  controllers: [EthereumLoginController, EthereumCredentialController, ContractCredentialsController],
  providers: [
    ChainConfig,
    PublicUrlsConfig,
    AeTokenService,
    SignInChallengeQueries,
    ChallengesService,
    BudgetKeyQueries,
    ContractCheckConfig,
    ContractCheckLimiter,
    ContractWalletService,
    CredentialMessageService,
    CredentialParser,
    EthereumCredentialService,
    EthereumSignatureVerifier,
    IdTokensService,
    UserCredentialService,
    WalletLoginService,
    WalletTokenService,
  ],
  exports: [
    AeTokenService,
    ContractWalletService,
    UserCredentialService,
    WalletLoginService,
    WalletTokenService,
  ],
})
export class EthereumLoginModule {}
