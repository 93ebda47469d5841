import { ChainConfig } from '@app/chain/evm';
import { Module } from '@nestjs/common';
import { CredentialsModule } from '../credentials/credentials.module.js';
import { PublicUrlsConfig } from '../public-urls.config.js';
import { RevocationsModule } from '../revocations/revocations.module.js';
import { TokenKeysModule } from '../token-keys/token-keys.module.js';
import { UsersModule } from '../users/users.module.js';
import { AeTokens } from './ae-tokens.js';
import { ChallengeStore } from './challenge-store.js';
import { ChallengesService } from './challenges.service.js';
import { CheckHolders } from './check-holders.js';
import { ContractCheckConfig } from './contract-check.config.js';
import { ContractCheckLimits } from './contract-check-limits.js';
import { ContractCredentialsController } from './contract-credentials.controller.js';
import { ContractWallets } from './contract-wallets.js';
import { CredentialMessages } from './credential-messages.js';
import { CredentialReader } from './credential-reader.js';
import { EthereumCredentialController } from './ethereum-credential.controller.js';
import { EthereumCredentials } from './ethereum-credentials.js';
import { EthereumLoginController } from './ethereum-login.controller.js';
import { EthereumProof } from './ethereum-proof.js';
import { IdTokensService } from './id-tokens.service.js';
import { OwnSignedCredentials } from './own-signed-credentials.js';
import { WalletLogins } from './wallet-logins.js';
import { WalletTokens } from './wallet-tokens.js';

@Module({
  imports: [CredentialsModule, RevocationsModule, TokenKeysModule, UsersModule],
  controllers: [EthereumLoginController, EthereumCredentialController, ContractCredentialsController],
  providers: [
    ChainConfig,
    PublicUrlsConfig,
    AeTokens,
    ChallengeStore,
    ChallengesService,
    CheckHolders,
    ContractCheckConfig,
    ContractCheckLimits,
    ContractWallets,
    CredentialMessages,
    CredentialReader,
    EthereumCredentials,
    EthereumProof,
    IdTokensService,
    OwnSignedCredentials,
    WalletLogins,
    WalletTokens,
  ],
  exports: [AeTokens, ContractWallets, OwnSignedCredentials, WalletLogins, WalletTokens],
})
export class EthereumLoginModule {}
