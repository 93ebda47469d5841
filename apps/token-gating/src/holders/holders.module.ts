import { Module } from '@nestjs/common';
import { IdentityModule } from '../identity/identity.module.js';
import { UserHolders } from './user-holders.js';

@Module({ imports: [IdentityModule], providers: [UserHolders], exports: [UserHolders] })
export class HoldersModule {}
