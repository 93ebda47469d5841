import { Module } from '@nestjs/common';
import { EvmModule } from '../../evm/evm.module.js';
import { KeyVaultModule } from '../key-vault.module.js';
import { PlatformsModule } from '../../owners/platforms.module.js';
import { AccountAddressesService } from './account-addresses.service.js';
import { SmartAccountsService } from './smart-accounts.service.js';

@Module({
  imports: [EvmModule, KeyVaultModule, PlatformsModule],
  providers: [SmartAccountsService, AccountAddressesService],
  exports: [SmartAccountsService, AccountAddressesService],
})
export class AccountsModule {}
