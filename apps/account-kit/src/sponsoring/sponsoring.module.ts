import { ChainConfig } from '@app/chain/evm';
import { Module } from '@nestjs/common';
import { EvmModule } from '../evm/evm.module.js';
import { PaymasterServicesService } from './paymaster-services.service.js';
import { SponsoringService } from './sponsoring.service.js';

@Module({
  imports: [EvmModule],
  providers: [ChainConfig, PaymasterServicesService, SponsoringService],
  exports: [PaymasterServicesService, SponsoringService],
})
export class SponsoringModule {}
