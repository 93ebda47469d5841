import { Module } from '@nestjs/common';
import { EvmModule } from '../evm/evm.module.js';
import { PlatformClient } from '../owners/platform-client.js';
import { PlatformHttpClient } from '../owners/platform-http-client.js';
import { PlatformUsersService } from '../owners/platform-users.service.js';
import { PlatformsConfig } from '../owners/platforms.config.js';
import { SolanaSponsorConfig } from '../solana/messages/solana-sponsor.config.js';
import { AccountAddressesService } from './accounts/account-addresses.service.js';
import { SmartAccountsService } from './accounts/smart-accounts.service.js';
import { ExecutorKeysConfig } from './executor-keys.config.js';
import { KeyVaultConfig } from './key-vault.config.js';
import { SignerClient } from './signer-client.js';
import { CodehostAudienceService } from './token-audience/codehost-audience.service.js';
import { CodehostTokenClient } from './token-audience/codehost-token-client.js';
import { TokenAudienceService } from './token-audience/token-audience.service.js';

/** Platform users, their accounts, and the keys of these. */
@Module({
  imports: [EvmModule],
  providers: [
    PlatformsConfig,
    PlatformHttpClient,
    PlatformClient,
    PlatformUsersService,
    KeyVaultConfig,
    ExecutorKeysConfig,
    SolanaSponsorConfig,
    SignerClient,
    CodehostTokenClient,
    CodehostAudienceService,
    TokenAudienceService,
    SmartAccountsService,
    AccountAddressesService,
  ],
  exports: [
    PlatformUsersService,
    ExecutorKeysConfig,
    SolanaSponsorConfig,
    SignerClient,
    TokenAudienceService,
    SmartAccountsService,
    AccountAddressesService,
  ],
})
export class CustodyModule {}
