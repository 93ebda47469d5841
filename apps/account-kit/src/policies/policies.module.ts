import { Module } from '@nestjs/common';
import { CustodyModule } from '../custody/custody.module.js';
import { EvmModule } from '../evm/evm.module.js';
import { AccountPoliciesService } from './account-policies.service.js';
import { PoliciesService } from './policies.service.js';
import { PoliciesConfig } from './rules/policies.config.js';
import { PaymasterDataService } from './sponsoring/paymaster-data.service.js';
import { PaymasterServicesService } from './sponsoring/paymaster-services.service.js';
import { SponsoringService } from './sponsoring/sponsoring.service.js';

@Module({
  imports: [EvmModule, CustodyModule],
  providers: [
    PoliciesConfig,
    PoliciesService,
    AccountPoliciesService,
    PaymasterDataService,
    PaymasterServicesService,
    SponsoringService,
  ],
  exports: [
    PoliciesConfig,
    PoliciesService,
    AccountPoliciesService,
    PaymasterDataService,
    PaymasterServicesService,
    SponsoringService,
  ],
})
export class PoliciesModule {}
