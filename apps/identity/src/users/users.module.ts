import { Outbox } from '@app/outbox';
import { Module } from '@nestjs/common';
import { Users } from './users.js';
import { WalletConnections } from './wallet-connections.js';

@Module({
  providers: [Users, WalletConnections, { provide: Outbox, useFactory: () => new Outbox('identity') }],
  exports: [Users, WalletConnections],
})
export class UsersModule {}
