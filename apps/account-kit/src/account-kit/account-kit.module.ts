import { Module } from '@nestjs/common';
import { ActionsModule } from '../actions/actions.module.js';
import { AccountKitChainsConfig } from '../evm/chains/account-kit-chains.config.js';
import { AccountKitController } from './account-kit.controller.js';

@Module({
  imports: [ActionsModule],
  providers: [AccountKitChainsConfig],
  controllers: [AccountKitController],
})
export class AccountKitModule {}
