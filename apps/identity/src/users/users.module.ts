import { Module } from '@nestjs/common';
import { Users } from './users.js';

@Module({ providers: [Users], exports: [Users] })
export class UsersModule {}
