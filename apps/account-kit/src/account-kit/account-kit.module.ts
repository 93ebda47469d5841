import { Module } from '@nestjs/common';
import { AccountKitController } from './account-kit.controller.js';

@Module({ controllers: [AccountKitController] })
export class AccountKitModule {}
