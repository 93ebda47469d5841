import { Module } from '@nestjs/common';
import { ActionsModule } from '../actions/actions.module.js';
import { AccountsModule } from '../custody/accounts/accounts.module.js';
import { MintModule } from '../mint/mint.module.js';
import { SolanaModule } from '../solana/solana.module.js';
import { UserOperationsModule } from '../user-operations/user-operations.module.js';
import { AccountKitController } from './account-kit.controller.js';
import { SolanaSponsorController } from './solana-sponsor.controller.js';
import { UserOperationController } from './user-operation.controller.js';

@Module({
  imports: [AccountsModule, UserOperationsModule, MintModule, SolanaModule, ActionsModule],
  controllers: [AccountKitController, UserOperationController, SolanaSponsorController],
})
export class AccountKitModule {}
