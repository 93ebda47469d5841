import { Module } from '@nestjs/common';
import { IdentityClientModule } from '../clients/identity-client.module.js';
import { UserAddressesService } from './user-addresses.service.js';

@Module({
  imports: [IdentityClientModule],
  providers: [UserAddressesService],
  exports: [UserAddressesService],
})
export class SubjectsModule {}
