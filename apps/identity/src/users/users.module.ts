import { Module } from '@nestjs/common';
import { UsersService } from './users.service.js';
import { WalletsModule } from './wallets/wallets.module.js';

@Module({ imports: [WalletsModule], providers: [UsersService], exports: [UsersService] })
export class UsersModule {}
