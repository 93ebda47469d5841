import { Module } from '@nestjs/common';
import { Users } from './users.js';
import { WalletConnections } from './wallet-connections.js';

@Module({ providers: [Users, WalletConnections], exports: [Users, WalletConnections] })
export class UsersModule {}
