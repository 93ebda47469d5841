import { Module } from '@nestjs/common';
import { UsersModule } from '../users/users.module.js';
import { AccountController } from './account.controller.js';
import { ProfileService } from './profile.service.js';

@Module({ imports: [UsersModule], controllers: [AccountController], providers: [ProfileService] })
export class AccountsModule {}
