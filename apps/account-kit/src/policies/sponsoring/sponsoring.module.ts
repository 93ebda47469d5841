import { ChainConfig } from '@app/chain/evm';
import { Module } from '@nestjs/common';
import { EvmModule } from '../../evm/evm.module.js';
import { KeyVaultModule } from '../../custody/key-vault.module.js';
import { PaymasterDataService } from './paymaster-data.service.js';
import { PaymasterServicesService } from './paymaster-services.service.js';
import { SponsoringService } from './sponsoring.service.js';

@Module({
  imports: [EvmModule, KeyVaultModule],
  providers: [ChainConfig, PaymasterDataService, PaymasterServicesService, SponsoringService],
  exports: [PaymasterDataService, PaymasterServicesService, SponsoringService],
})
export class SponsoringModule {}
