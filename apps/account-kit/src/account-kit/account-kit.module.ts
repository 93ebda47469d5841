import { Module } from '@nestjs/common';
import { AccountKitChainsConfig } from '../evm/chains/account-kit-chains.config.js';
import { AccountKitController } from './account-kit.controller.js';

@Module({ providers: [AccountKitChainsConfig], controllers: [AccountKitController] })
export class AccountKitModule {}
