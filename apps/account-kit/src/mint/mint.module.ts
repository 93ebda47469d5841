import { Module } from '@nestjs/common';
import { PoliciesModule } from '../policies/policies.module.js';
import { SponsoringModule } from '../policies/sponsoring/sponsoring.module.js';
import { UserOperationsModule } from '../user-operations/user-operations.module.js';
import { MintService } from './mint.service.js';

@Module({
  imports: [PoliciesModule, SponsoringModule, UserOperationsModule],
  providers: [MintService],
  exports: [MintService],
})
export class MintModule {}
